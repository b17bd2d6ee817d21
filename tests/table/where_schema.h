/* tests/table/where_schema.h — a small schema with one column of every sort. */
#ifndef JALI_TESTS_TABLE_WHERE_SCHEMA_H
#define JALI_TESTS_TABLE_WHERE_SCHEMA_H

static const char where_schema[] =
    "{\"fields\":["
    "{\"name\":\"ward\",\"type\":\"string\",\"constraints\":{\"enum\":[\"surgery\",\"internal\","
    "\"cardio\",\"it's\",\"birth\"]}},"
    "{\"name\":\"age\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":12}},"
    "{\"name\":\"temp\",\"type\":\"number\",\"constraints\":{\"minimum\":-2,\"maximum\":2},"
    "\"jali\":{\"step\":\"0.5\"}},"
    "{\"name\":\"smoker\",\"type\":\"boolean\",\"trueValues\":[\"Y\"],\"falseValues\":[\"N\"]},"
    "{\"name\":\"day\",\"type\":\"date\",\"constraints\":{\"minimum\":\"2024-02-27\","
    "\"maximum\":\"2024-03-03\"}},"
    "{\"name\":\"Capital-Gain\",\"type\":\"integer\",\"constraints\":{\"minimum\":-5,"
    "\"maximum\":5}},"
    "{\"name\":\"order\",\"type\":\"string\",\"constraints\":{\"enum\":[\"a\",\"b\"]}},"
    "{\"name\":\"dose\",\"type\":\"number\",\"constraints\":{\"minimum\":0,\"maximum\":30},"
    "\"jali\":{\"bins\":[0,10,20,30]}}"
    "]}";

#endif
