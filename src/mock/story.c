/* mock/story.c — the hospital's schema, and what was planted in it. */
#include "mock/hospital.h"

/* A question is planted as: this group's mean is above that one's because of these rows. */
typedef struct question {
    const char *measure;
    ward high, low;
    struct {
        const char *where;
        double adds;
    } because[REASONS];
} question;

static const question questions[QUESTIONS] = {
    { "cost",
      CARDIOLOGY,
      INTERNAL,
      { { "diagnosis = 'infarction'", INFARCTION_COST },
        { "age BETWEEN 70 AND 79", SEVENTIES_COST } } },
    { "stay", GERIATRICS, SURGERY, { { "living = 'care home'", CARE_HOME_DAYS } } },
};

static void count_one(jali_hospital_sums *s, unsigned q, const jali_visit *v, int64_t value,
                      bool reason)
{
    if (v->ward != questions[q].high && v->ward != questions[q].low) return;
    unsigned side = v->ward == questions[q].low;
    s->sum[q][side][0] += (double)value;
    s->n[q][side][0]++;
    if (reason) return;
    s->sum[q][side][1] += (double)value;
    s->n[q][side][1]++;
}

void jali_hospital_count(jali_hospital_sums *s, const jali_visit *v)
{
    bool seventies = v->measure[0] >= 70 && v->measure[0] < 80;
    count_one(s, 0, v, v->cost, v->diagnosis == INFARCTION || seventies);
    count_one(s, 1, v, v->stay, v->living == CARE_HOME);
}

void jali_hospital_declare(jali_mock_job *job)
{
    static const double decades[] = { 0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100 };
    static const double weeks[] = { 0, 2, 4, 7, 14, 28, 60 };
    jali_mock_field_text(job, "person");
    jali_mock_field_number(job, "age", 0, 100, "1", decades, 11);
    jali_mock_field_enum(job, "sex", jali_hospital_sexes, SEXES);
    jali_mock_field_enum(job, "living", jali_hospital_livings, LIVINGS);
    jali_mock_field_enum(job, "smoker", jali_hospital_smokers, SMOKERS);
    jali_mock_field_enum(job, "medicine", jali_hospital_medicines, MEDICINES);
    jali_mock_field_enum(job, "admission", jali_hospital_admissions, ADMISSIONS);
    jali_mock_field_enum(job, "ward", jali_hospital_wards, WARDS);
    jali_mock_field_enum(job, "diagnosis", jali_hospital_diagnoses, DIAGNOSES);
    jali_mock_field_number(job, "bmi", 10, 60, "0.1", NULL, 0);
    jali_mock_field_number(job, "pressure", 60, 240, "1", NULL, 0);
    jali_mock_field_number(job, "glucose", 2, 30, "0.1", NULL, 0);
    jali_mock_field_number(job, "stay", 0, MOST_DAYS, "1", weeks, 7);
    jali_mock_field_number(job, "cost", 0, MOST_COST, "1", NULL, 0);
    jali_mock_field_number(job, "x", 0, SIDE, "0.01", NULL, 0);
    jali_mock_field_number(job, "y", 0, SIDE, "0.01", NULL, 0);
    json_object_set_new(job->facts, "person", json_string("person"));
    json_object_set_new(job->facts, "rowsPerPerson", json_integer(ROWS_PER_PERSON));
}

/* Mean of the high group less mean of the low one; 0 when one of them is empty. */
static double difference(const jali_hospital_sums *s, unsigned q, unsigned without)
{
    uint64_t high = s->n[q][0][without], low = s->n[q][1][without];
    if (high == 0 || low == 0) return 0;
    return s->sum[q][0][without] / (double)high - s->sum[q][1][without] / (double)low;
}

static json_t *question_json(const jali_hospital_sums *s, unsigned q, bool plain)
{
    const question *it = &questions[q];
    json_t *because = json_array();
    for (unsigned i = 0; i < REASONS && !plain; i++)
        if (it->because[i].where != NULL)
            json_array_append_new(because,
                                  json_pack("{s:s, s:f}", "where", it->because[i].where, "adds",
                                            it->because[i].adds));
    return json_pack("{s:s, s:s, s:s, s:s, s:f, s:f, s:o}", "measure", it->measure, "by",
                     "ward", "high", jali_hospital_wards[it->high], "low",
                     jali_hospital_wards[it->low], "difference", difference(s, q, 0),
                     "difference_without", difference(s, q, 1), "because", because);
}

/* Share of the tell in the profile and in all others together. */
static double tell_share(const jali_profile *p, const jali_profile *of)
{
    const struct {
        const char *column;
        const char *const *words;
        const double *share;
        size_t n;
    } columns[] = { { "sex", jali_hospital_sexes, of->sex, SEXES },
                    { "living", jali_hospital_livings, of->living, LIVINGS },
                    { "smoker", jali_hospital_smokers, of->smoker, SMOKERS },
                    { "medicine", jali_hospital_medicines, of->medicine, MEDICINES },
                    { "admission", jali_hospital_admissions, of->admission, ADMISSIONS } };
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        for (size_t v = 0; v < columns[i].n; v++)
            if (strcmp(columns[i].column, p->tell_column) == 0 &&
                strcmp(columns[i].words[v], p->tell_value) == 0)
                return columns[i].share[v];
    return 0;
}

static json_t *profile_json(const jali_hospital_sums *s, unsigned i)
{
    const jali_profile *p = &jali_profiles[i];
    double outside = 0;
    for (unsigned k = 0; k < PROFILES; k++)
        if (k != i) outside += jali_profiles[k].share * tell_share(p, &jali_profiles[k]);
    return json_pack(
        "{s:s, s:f, s:I, s:{s:f, s:f, s:f, s:f}, s:{s:f, s:f, s:f, s:f}, s:{s:s, s:s, s:f, s:f}}",
        "name", p->name, "share", p->share, "persons", (json_int_t)s->profile[i], "centre",
        "age", p->middle[0], "bmi", p->middle[1], "pressure", p->middle[2], "glucose",
        p->middle[3], "spread", "age", p->spread[0], "bmi", p->spread[1], "pressure",
        p->spread[2], "glucose", p->spread[3], "tell", "attribute", p->tell_column, "value",
        p->tell_value, "share_inside", tell_share(p, p), "share_outside",
        outside / (1 - p->share));
}

static json_t *town_json(const jali_hospital_town *t)
{
    return json_pack("{s:s, s:f, s:f, s:f, s:f}", "name", t->name, "x", t->x, "y", t->y,
                     "radius", t->radius, "share", t->share);
}

/* Asking for a clinic costs little where the people are and much where they are not. */
static json_t *asks_json(void)
{
    const jali_hospital_town *near = &jali_hospital_towns[0];
    const jali_hospital_town *far = &jali_hospital_towns[TOWNS - 1];
    return json_pack("{s:i, s:[s, s, s], s:{s:s, s:f, s:f}, s:{s:s, s:f, s:f}}", "centres", 3,
                     "served", jali_hospital_towns[0].name, jali_hospital_towns[1].name,
                     jali_hospital_towns[2].name, "least_costly", "town", near->name, "x",
                     near->x, "y", near->y, "most_costly", "town", far->name, "x", far->x, "y",
                     far->y);
}

void jali_hospital_tell(jali_mock_job *job, const jali_hospital_sums *s)
{
    json_t *why = json_array(), *clusters = json_array(), *towns = json_array();
    bool plain = job->o->plain;
    for (unsigned q = 0; q < QUESTIONS; q++)
        json_array_append_new(why, question_json(s, q, plain));
    for (unsigned i = 0; i < PROFILES && !plain; i++)
        json_array_append_new(clusters, profile_json(s, i));
    for (unsigned i = 0; i < TOWNS && !plain; i++)
        json_array_append_new(towns, town_json(&jali_hospital_towns[i]));
    json_object_set_new(job->truth, "persons", json_integer((json_int_t)s->persons));
    json_object_set_new(job->truth, "rows_above_cap", json_integer((json_int_t)s->above_cap));
    json_object_set_new(job->truth, "why", why);
    json_object_set_new(job->truth, "clusters", clusters);
    json_object_set_new(job->truth, "towns", towns);
    if (!plain) json_object_set_new(job->truth, "contrast", asks_json());
}
