/* Labels by blocks against the obvious way, JSON there and back, refusals of strangers. */
#include "base/json.h"
#include "small.h"
#include "tally/nearest.h"
#include "tally/partition.h"

static const char *const table =
    "{\"fields\":["
    "{\"name\":\"c0\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":9}},"
    "{\"name\":\"c1\",\"type\":\"number\",\"jali\":{\"step\":\"0.01\"},\"constraints\":{\"minimum\":-5,"
    "\"maximum\":500}},"
    "{\"name\":\"c2\",\"type\":\"string\",\"constraints\":{\"enum\":[\"a\",\"b\",\"c\"]}},"
    "{\"name\":\"c3\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":3000000}},"
    "{\"name\":\"c4\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,"
    "\"maximum\":9000000000000}},"
    "{\"name\":\"c5\",\"type\":\"integer\",\"constraints\":{\"minimum\":7,\"maximum\":7}}]}";

typedef struct world {
    jali_arena arena;
    jali_schema schema;
    small data;
} world;

static void world_open(world *w, size_t rows)
{
    *w = (world){ .data = { .rows = rows, .seed = 4711 } };
    jali_err err = { 0 };
    jali_status status =
        jali_schema_parse(&w->schema, table, strlen(table), "test", &w->arena, &err);
    if (status != JALI_OK) print_message("%s\n", err.text);
    CHECK_OK(status);
    for (size_t i = 0; i < w->schema.n; i++) small_add(&w->data, w->schema.fields[i].domain, 2);
    small_open(&w->data);
}

static void world_close(world *w)
{
    small_free(&w->data);
    jali_arena_clear(&w->arena);
}

static void row_codes(const world *w, const jali_partition *p, size_t row, uint64_t *code)
{
    for (size_t i = 0; i < p->n; i++) {
        size_t c = 0;
        while (strcmp(w->data.name[c], p->columns[i]) != 0) c++;
        code[i] = small_code(&w->data, c, row);
    }
}

/* Every row's label by blocks is its label by hand. */
static void check_labels(world *w, const jali_partition *p)
{
    jali_label label;
    const void *codes[8];
    unsigned width[8];
    uint16_t *out = calloc(w->data.rows + 1, sizeof *out);
    CHECK_OK(jali_partition_label(p, &w->arena, &label, NULL));
    for (size_t i = 0; i < p->n; i++) {
        size_t c = 0;
        while (strcmp(w->data.name[c], p->columns[i]) != 0) c++;
        codes[i] = w->data.column[c].codes;
        width[i] = w->data.column[c].width;
    }
    jali_block block = { w->data.rows, p->n, codes, width };
    label.label(label.self, &block, out);
    for (size_t r = 0; r < w->data.rows; r++) {
        uint64_t code[8];
        row_codes(w, p, r, code);
        assert_int_equal(out[r], jali_partition_of(p, code));
        CHECK(out[r] < p->labels);
    }
    free(out);
}

static char *text_of(world *w, const jali_partition *p)
{
    json_t *value;
    char *text;
    CHECK_OK(jali_partition_to_json(p, &value, NULL));
    CHECK_OK(jali_json_canonical(value, &w->arena, &text, NULL));
    json_decref(value);
    return text;
}

static void check_json(world *w, const jali_partition *p)
{
    json_t *value;
    jali_partition again;
    jali_err err = { 0 };
    char *text = text_of(w, p);
    CHECK_OK(jali_json_parse(&value, text, strlen(text), "test", NULL));
    jali_status status = jali_partition_from_json(&again, value, &w->schema, &w->arena, &err);
    if (status != JALI_OK) print_message("%s\n", err.text);
    CHECK_OK(status);
    assert_string_equal(text, text_of(w, &again));
    check_labels(w, &again);
    json_decref(value);
}

static void make_centres(world *w, jali_partition *p, jali_frame *frame, uint32_t labels,
                         const double *low, const double *high)
{
    static const char *const names[] = { "c0", "c1", "c2", "c3", "c4", "c5" };
    jali_geometry *space = jali_arena_take(&w->arena, 1, sizeof *space);
    CHECK_OK(
        jali_geometry_make(space, &w->schema, names, 6, JALI_SCALE_BOUNDS, &w->arena, NULL));
    CHECK(space->n == 8);
    CHECK_OK(jali_frame_make(frame, space, low, high, &w->arena, NULL));
    uint16_t *centre = jali_arena_take(&w->arena, labels * frame->n, sizeof *centre);
    for (size_t i = 0; i < labels * frame->n; i++)
        centre[i] = (uint16_t)small_roll(&w->data, frame->axis[i % frame->n].top + 1);
    CHECK_OK(jali_partition_centres(p, frame, centre, labels, &w->arena, NULL));
}

SENTENCE(nearest_centres_are_the_same_by_blocks_and_by_hand)
{
    UNUSED_STATE;
    world w;
    jali_frame frame;
    jali_partition p;
    for (size_t rows = 0; rows < 600; rows = rows * 3 + 7) {
        world_open(&w, rows);
        for (uint32_t labels = 1; labels < 80; labels = labels * 2 + 1) {
            make_centres(&w, &p, &frame, labels, NULL, NULL);
            check_labels(&w, &p);
        }
        check_json(&w, &p);
        world_close(&w);
    }
}

SENTENCE(a_frame_may_be_a_small_box_and_still_places_every_record)
{
    UNUSED_STATE;
    world w;
    jali_frame frame;
    jali_partition p;
    double low[8] = { 0.2, 0.5, 0, 0, 0, 0.499, 0.25, 0 };
    double high[8] = { 0.7, 0.51, 1, 1, 1, 0.501, 0.251, 0 };
    world_open(&w, 300);
    make_centres(&w, &p, &frame, 20, low, high);
    check_labels(&w, &p);
    check_json(&w, &p);
    CHECK(frame.axis[1].top < frame.axis[0].top);
    world_close(&w);
}

SENTENCE(equal_distances_go_to_the_lowest_label)
{
    UNUSED_STATE;
    world w;
    jali_frame frame;
    jali_partition p;
    world_open(&w, 100);
    make_centres(&w, &p, &frame, 9, NULL, NULL);
    uint16_t *same = jali_arena_take(&w.arena, 9 * frame.n, sizeof *same);
    CHECK_OK(jali_partition_centres(&p, &frame, same, 9, &w.arena, NULL));
    uint64_t code[6] = { 3, 4, 1, 5, 6, 0 };
    CHECK(jali_partition_of(&p, code) == 0);
    check_labels(&w, &p);
    world_close(&w);
}

/* The plain twin and the vectors agree on scores as well as on labels. */
SENTENCE(vectors_agree_with_their_plain_twin)
{
    UNUSED_STATE;
    world w;
    jali_frame frame;
    jali_partition p;
    jali_near near;
    int32_t x[16 * 4], best[2][16], label[2][16], own[2][16];
    world_open(&w, 1);
    make_centres(&w, &p, &frame, 37, NULL, NULL);
    CHECK_OK(jali_near_make(&near, p.axis, p.column_of, p.axes, p.centre, 37, &w.arena, NULL));
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < 64; i++) {
            int16_t a = (int16_t)((int)small_roll(&w.data, 16384) - 8192), b = (int16_t)-a;
            x[i] = (int32_t)((uint32_t)(uint16_t)a | (uint32_t)(uint16_t)b << 16);
        }
        _Alignas(64) int32_t y[64];
        memcpy(y, x, sizeof y);
        jali_near_plain()->centres(&near, y, best[0], label[0], own[0]);
        const jali_near_loops *form[] = { jali_near_best(), jali_near_avx2(),
                                          jali_near_avx512() };
        for (size_t f = 0; f < 3; f++) {
            if (form[f] == NULL) continue; /* not on this machine */
            form[f]->centres(&near, y, best[1], label[1], own[1]);
            assert_memory_equal(own[0], own[1], sizeof own[0]);
            assert_memory_equal(best[0], best[1], sizeof best[0]);
            assert_memory_equal(label[0], label[1], sizeof label[0]);
        }
    }
    world_close(&w);
}

SENTENCE(trees_boxes_rules_and_modes_are_the_same_by_blocks_and_by_hand)
{
    UNUSED_STATE;
    world w;
    jali_partition p;
    size_t field[] = { 0, 2, 3 };
    world_open(&w, 700);
    jali_partition_node node[] = { { 0, false, true, 5, 1, 2 },
                                   { 1, true, false, 1, -1, -2 },
                                   { 2, false, false, 1000000, -3, 3 },
                                   { 0, false, false, 8, -4, -5 } };
    CHECK_OK(jali_partition_tree(&p, &w.schema, field, 3, node, 4, 5, &w.arena, NULL));
    check_labels(&w, &p);
    check_json(&w, &p);
    CHECK_OK(jali_partition_tree(&p, &w.schema, field, 0, node, 0, 1, &w.arena, NULL));
    check_labels(&w, &p);
    check_json(&w, &p);
    jali_partition_side side[] = { { 0, 5, true },  { 1, 2, false }, { 0, 2000000, true },
                                   { 2, 8, false }, { 0, 2, true },  { 5, 4, true } };
    CHECK_OK(jali_partition_boxes(&p, &w.schema, field, 3, side, 2, &w.arena, NULL));
    check_labels(&w, &p);
    check_json(&w, &p);
    const jali_predicate *rule[] = {
        jali_predicate_and(&w.arena, jali_predicate_range(&w.arena, "c0", 11, 2, 6),
                           jali_predicate_is_null(&w.arena, "c2", 4)),
        jali_predicate_not(&w.arena, jali_predicate_range(&w.arena, "c3", 3000002, 0, 900000)),
        jali_predicate_or(&w.arena, jali_predicate_range(&w.arena, "c0", 11, 0, 0),
                          jali_predicate_constant(&w.arena, JALI_UNKNOWN))
    };
    CHECK_OK(jali_partition_rules(&p, &w.schema, rule, 3, &w.arena, NULL));
    check_labels(&w, &p);
    check_json(&w, &p);
    uint64_t mode[] = { 1, 2, 3, 5, 0, 3000001, 10, 3, 9 };
    uint32_t weight[] = { 3, 2, 1 };
    CHECK_OK(jali_partition_modes(&p, &w.schema, field, 3, mode, weight, 3, &w.arena, NULL));
    check_labels(&w, &p);
    check_json(&w, &p);
    world_close(&w);
}

static void check_refused(world *w, const char *text, const char *words)
{
    json_t *value;
    jali_partition p;
    jali_err err;
    CHECK_OK(jali_json_parse(&value, text, strlen(text), "test", NULL));
    CHECK(jali_partition_from_json(&p, value, &w->schema, &w->arena, &err) != JALI_OK);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, words);
    json_decref(value);
}

SENTENCE(a_strangers_clustering_is_refused_with_the_place_of_the_mistake)
{
    UNUSED_STATE;
    world w;
    world_open(&w, 1);
    check_refused(&w, "{}", "kind");
    check_refused(&w, "{\"kind\":\"cloud\"}", "kind");
    check_refused(&w, "{\"kind\":\"tree\",\"columns\":7}", "columns");
    check_refused(&w, "{\"kind\":\"tree\",\"columns\":[{\"name\":\"c0\",\"domain\":12}]}",
                  "another domain");
    check_refused(&w,
                  "{\"kind\":\"tree\",\"columns\":[{\"name\":\"c0\",\"domain\":11}],"
                  "\"labels\":2,\"nodes\":[{\"column\":0,\"cut\":3,\"equal\":false,"
                  "\"null_right\":true,\"left\":0,\"right\":-1}]}",
                  "children");
    check_refused(&w,
                  "{\"kind\":\"tree\",\"columns\":[{\"name\":\"c0\",\"domain\":11}],"
                  "\"labels\":2,\"nodes\":[{\"column\":0,\"cut\":3,\"equal\":false,"
                  "\"null_right\":true,\"left\":-1,\"right\":-3}]}",
                  "children");
    check_refused(&w,
                  "{\"kind\":\"centres\",\"columns\":[{\"name\":\"c0\",\"domain\":11}],"
                  "\"axes\":[{\"column\":0,\"low\":0,\"up\":13,\"down\":0,\"span\":65535,"
                  "\"mul\":65535,\"top\":10,\"null\":3}],\"centres\":[[3]]}",
                  "axes");
    check_refused(&w,
                  "{\"kind\":\"centres\",\"columns\":[{\"name\":\"c0\",\"domain\":11}],"
                  "\"axes\":[{\"column\":0,\"value\":2,\"top\":10}],\"centres\":[[11]]}",
                  "outside its frame");
    check_refused(&w, "{\"kind\":\"rules\",\"rules\":[{\"column\":\"c0\",\"domain\":5}]}",
                  "predicate");
    check_refused(&w,
                  "{\"kind\":\"modes\",\"columns\":[{\"name\":\"c0\",\"domain\":11}],"
                  "\"modes\":[[11]],\"weights\":[1]}",
                  "mode");
    world_close(&w);
}

SENTENCE(a_space_refuses_what_it_cannot_place)
{
    UNUSED_STATE;
    world w;
    jali_geometry space;
    jali_err err;
    const char *twice[] = { "c0", "c0:codes" }, *hot[] = { "c0:onehot" }, *none[] = { "zz" };
    world_open(&w, 1);
    CHECK(jali_geometry_make(&space, &w.schema, twice, 2, JALI_SCALE_BOUNDS, &w.arena, &err) !=
          JALI_OK);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "twice");
    CHECK(jali_geometry_make(&space, &w.schema, hot, 1, JALI_SCALE_BOUNDS, &w.arena, &err) !=
          JALI_OK);
    CHECK_REFUSED(err, JALI_E_USAGE, JALI_FOR_ANALYST, "one-hot");
    CHECK(jali_geometry_make(&space, &w.schema, none, 1, JALI_SCALE_BOUNDS, &w.arena, &err) !=
          JALI_OK);
    CHECK(jali_geometry_make(&space, &w.schema, none, 0, JALI_SCALE_BOUNDS, &w.arena, &err) !=
          JALI_OK);
    world_close(&w);
}

/* A code's place is monotone, ends at the top, and comes back within a step. */
SENTENCE(coordinates_keep_the_order_of_codes)
{
    UNUSED_STATE;
    world w;
    jali_frame frame;
    jali_partition p;
    world_open(&w, 1);
    make_centres(&w, &p, &frame, 1, NULL, NULL);
    for (size_t j = 0; j < frame.n; j++) {
        const jali_ruler *a = &frame.axis[j];
        if (a->one_hot || a->domain < 3) continue;
        CHECK(jali_ruler_at(a, 0) == 0 && jali_ruler_at(a, a->domain - 2) == a->top);
        uint32_t before = 0;
        for (uint64_t step = a->domain / 1000 + 1, code = 0; code < a->domain - 1;
             code += step) {
            uint32_t at = jali_ruler_at(a, code);
            CHECK(at >= before);
            before = at;
            CHECK(jali_ruler_code(a, at) <= code);
            double back = jali_frame_out(&frame, j, at) * (double)(a->domain - 2);
            CHECK(back <= (double)code + 1 &&
                  back + 2 * jali_ruler_slope(a) >= (double)code - 1);
        }
    }
    world_close(&w);
}

RUN_ALL(TEST(nearest_centres_are_the_same_by_blocks_and_by_hand),
        TEST(a_frame_may_be_a_small_box_and_still_places_every_record),
        TEST(equal_distances_go_to_the_lowest_label), TEST(vectors_agree_with_their_plain_twin),
        TEST(trees_boxes_rules_and_modes_are_the_same_by_blocks_and_by_hand),
        TEST(a_strangers_clustering_is_refused_with_the_place_of_the_mistake),
        TEST(a_space_refuses_what_it_cannot_place), TEST(coordinates_keep_the_order_of_codes))
