/* mock/hospital.c — visits to a made-up hospital, several for some of its persons.
 *
 * Persons come one after the other, each with all of their visits. A plain hospital draws
 * each attribute from a profile of its own: every column keeps its shares, and nothing goes
 * with anything any more.
 */
#include "mock/hospital.h"
#include <math.h>

static const double lowest[MEASURES] = { 0, 10, 60, 2 };
static const double highest[MEASURES] = { 100, 60, 240, 30 };
static const unsigned decimals[MEASURES] = { 0, 1, 0, 1 };

/* P(1 visit), P(2 visits), ... */
static const double visits_of[MOST_VISITS] = { 0.72, 0.18, 0.07, 0.02, 0.01 };

typedef struct hospital {
    const jali_mock_options *o;
    jali_mock_draw persons, visits;
    jali_hospital_sums sums;
} hospital;

static unsigned choose(jali_mock_draw *d, const double *share, unsigned n)
{
    double u = jali_mock_draw_unit(d);
    unsigned i = 0;
    while (i + 1 < n && u >= share[i]) u -= share[i++];
    while (share[i] <= 0 && i > 0) i--; /* rounding must not reach a value of no share */
    return i;
}

static unsigned choose_profile(jali_mock_draw *d)
{
    double share[PROFILES];
    for (unsigned i = 0; i < PROFILES; i++) share[i] = jali_profiles[i].share;
    return choose(d, share, PROFILES);
}

/* The profile that an attribute follows: the person's, or any in a plain hospital. */
static const jali_profile *profile_for(const hospital *h, jali_mock_draw *d, unsigned profile)
{
    return &jali_profiles[h->o->plain ? choose_profile(d) : profile];
}

static void choose_home(const hospital *h, jali_mock_draw *d, jali_visit *v)
{
    double share[TOWNS + 1] = { 0 }, x, y, a, b;
    for (unsigned i = 0; i < TOWNS; i++) share[i] = jali_hospital_towns[i].share;
    unsigned town = h->o->plain ? TOWNS : choose(d, share, TOWNS + 1);
    if (town == TOWNS) {
        x = SIDE * jali_mock_draw_unit(d);
        y = SIDE * jali_mock_draw_unit(d);
    } else {
        const jali_hospital_town *in = &jali_hospital_towns[town];
        double far =
            in->radius / 2 * (jali_mock_draw_exponential(d) + jali_mock_draw_exponential(d));
        jali_mock_draw_direction(d, &a, &b);
        x = in->x + far * a;
        y = in->y + far * b;
    }
    v->x = jali_mock_units(x, 0, SIDE, 2);
    v->y = jali_mock_units(y, 0, SIDE, 2);
}

static jali_visit new_person(hospital *h, uint64_t number)
{
    jali_mock_draw *d = &h->persons;
    jali_visit v = { .person = number, .profile = choose_profile(d) };
    for (unsigned i = 0; i < MEASURES; i++) {
        const jali_profile *p = profile_for(h, d, v.profile);
        double x = p->middle[i] + p->spread[i] * jali_mock_draw_normal(d);
        v.measure[i] = jali_mock_units(x, lowest[i], highest[i], decimals[i]);
    }
    v.sex = (sex)choose(d, profile_for(h, d, v.profile)->sex, SEXES);
    v.living = (living)choose(d, profile_for(h, d, v.profile)->living, LIVINGS);
    v.smoker = (smoker)choose(d, profile_for(h, d, v.profile)->smoker, SMOKERS);
    v.medicine = (medicine)choose(d, profile_for(h, d, v.profile)->medicine, MEDICINES);
    choose_home(h, d, &v);
    h->sums.persons++;
    h->sums.profile[v.profile]++;
    return v;
}

/* Days and money have the same law in all wards but for the planted reasons. */
static void new_visit(hospital *h, jali_visit *v)
{
    jali_mock_draw *d = &h->visits;
    v->diagnosis = (diagnosis)choose(d, profile_for(h, d, v->profile)->diagnosis, DIAGNOSES);
    const double *wards = jali_ward_of[v->diagnosis];
    if (h->o->plain)
        wards = jali_ward_of[choose(d, profile_for(h, d, v->profile)->diagnosis, DIAGNOSES)];
    v->ward = (ward)choose(d, wards, WARDS);
    if (jali_mock_draw_chance(d, profile_for(h, d, v->profile)->to_geriatrics))
        v->ward = GERIATRICS;
    v->admission = (admission)choose(d, profile_for(h, d, v->profile)->admission, ADMISSIONS);
    double days = 1 + 3 * jali_mock_draw_exponential(d);
    double more = 0;
    if (v->living == CARE_HOME && !h->o->plain) days += CARE_HOME_DAYS;
    if (v->diagnosis == INFARCTION) more += INFARCTION_COST;
    if (v->measure[0] >= 70 && v->measure[0] < 80) more += SEVENTIES_COST;
    if (h->o->plain) more = 0;
    v->stay = jali_mock_units(floor(days), 0, MOST_DAYS, 0);
    double cost = 1800 + 150 * (double)v->stay + 700 * jali_mock_draw_normal(d) + more;
    v->cost = jali_mock_units(cost, 0, MOST_COST, 0);
}

static void write_visit(jali_mock_sink *s, const jali_visit *v)
{
    char person[24];
    snprintf(person, sizeof person, "P%07llu", (unsigned long long)v->person);
    jali_mock_sink_row(s);
    jali_mock_sink_cell(s, person);
    jali_mock_sink_whole(s, v->measure[0]);
    jali_mock_sink_cell(s, jali_hospital_sexes[v->sex]);
    jali_mock_sink_cell(s, jali_hospital_livings[v->living]);
    jali_mock_sink_cell(s, jali_hospital_smokers[v->smoker]);
    jali_mock_sink_cell(s, jali_hospital_medicines[v->medicine]);
    jali_mock_sink_cell(s, jali_hospital_admissions[v->admission]);
    jali_mock_sink_cell(s, jali_hospital_wards[v->ward]);
    jali_mock_sink_cell(s, jali_hospital_diagnoses[v->diagnosis]);
    for (unsigned i = 1; i < MEASURES; i++) jali_mock_sink_fixed(s, v->measure[i], decimals[i]);
    jali_mock_sink_whole(s, v->stay);
    jali_mock_sink_whole(s, v->cost);
    jali_mock_sink_fixed(s, v->x, 2);
    jali_mock_sink_fixed(s, v->y, 2);
    jali_mock_sink_end(s);
}

jali_status jali_mock_hospital(jali_mock_job *job, jali_err *err)
{
    hospital h = { .o = job->o };
    jali_hospital_declare(job);
    JALI_TRY(jali_mock_header(job, err));
    jali_mock_draw_init(&h.persons, job->o->seed, "persons", 0);
    jali_mock_draw_init(&h.visits, job->o->seed, "visits", 0);
    uint64_t row = 0;
    for (uint64_t person = 1; row < job->o->rows && !job->sink->failed; person++) {
        jali_visit v = new_person(&h, person);
        unsigned visits = 1 + choose(&h.persons, visits_of, MOST_VISITS);
        for (unsigned i = 0; i < visits && row < job->o->rows; i++, row++) {
            new_visit(&h, &v);
            write_visit(job->sink, &v);
            jali_hospital_count(&h.sums, &v);
            h.sums.above_cap += i >= ROWS_PER_PERSON;
            jali_mock_told(job, row);
        }
    }
    jali_hospital_tell(job, &h.sums);
    return JALI_OK;
}
