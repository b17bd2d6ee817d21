/* mock/hospital.h — the made-up hospital: who comes, where they live, what it costs. */
#ifndef JALI_MOCK_HOSPITAL_H
#define JALI_MOCK_HOSPITAL_H

#include "mock/job.h"

enum { PROFILES = 5, MEASURES = 4, TOWNS = 5, QUESTIONS = 2, REASONS = 2 };

typedef enum sex { FEMALE, MALE, SEXES } sex;
typedef enum living { WITH_FAMILY, ALONE, CARE_HOME, LIVINGS } living;
typedef enum smoker { NEVER, FORMER, CURRENT, SMOKERS } smoker;
typedef enum medicine { NO_MEDICINE, PAINKILLER, INSULIN, THINNER, MEDICINES } medicine;
typedef enum admission { PLANNED, EMERGENCY, TRANSFER, ADMISSIONS } admission;
typedef enum ward { SURGERY, MATERNITY, INTERNAL, CARDIOLOGY, GERIATRICS, WARDS } ward;
typedef enum diagnosis {
    INJURY,
    BIRTH,
    DIABETES,
    INFARCTION,
    HEART_FAILURE,
    INFECTION,
    OTHER_DIAGNOSIS,
    DIAGNOSES
} diagnosis;
enum { MOST_VALUES = DIAGNOSES };

extern const char *const jali_hospital_sexes[SEXES],
    *const jali_hospital_livings[LIVINGS],
        *const jali_hospital_smokers[SMOKERS],
            *const jali_hospital_medicines[MEDICINES],
                *const jali_hospital_admissions[ADMISSIONS],
                    *const jali_hospital_wards[WARDS],
                        *const jali_hospital_diagnoses[DIAGNOSES];

/* A profile is a planted cluster: a ball in age, bmi, pressure and glucose, and one
 * attribute, its tell, that is common in it and rare elsewhere. Shares add up to 1. */
typedef struct jali_profile {
    const char *name;
    double share, middle[MEASURES], spread[MEASURES];
    double sex[SEXES], living[LIVINGS], smoker[SMOKERS], medicine[MEDICINES],
        admission[ADMISSIONS], diagnosis[DIAGNOSES];
    double to_geriatrics; /* this share goes there whatever the diagnosis */
    const char *tell_column, *tell_value;
} jali_profile;
extern const jali_profile jali_profiles[PROFILES];

/* Where a diagnosis is treated. */
extern const double jali_ward_of[DIAGNOSES][WARDS];

typedef struct jali_hospital_town {
    const char *name;
    double x, y, radius, share; /* kilometres; the rest of the shares is open country */
} jali_hospital_town;
extern const jali_hospital_town jali_hospital_towns[TOWNS];

/* What is planted behind the two questions. */
#define INFARCTION_COST 9000.0
#define SEVENTIES_COST 2500.0
#define CARE_HOME_DAYS 6.0
enum { MOST_VISITS = 5, ROWS_PER_PERSON = 3, SIDE = 40, MOST_COST = 40000, MOST_DAYS = 60 };

/* One row. */
typedef struct jali_visit {
    uint64_t person;
    sex sex;
    living living;
    smoker smoker;
    medicine medicine;
    admission admission;
    ward ward;
    diagnosis diagnosis;
    int64_t measure[MEASURES]; /* age, bmi and glucose in tenths, pressure */
    int64_t stay, cost, x, y;  /* x and y in hundredths */
    unsigned profile;
} jali_visit;

/* Means behind a question: of both groups, and of both without the planted reasons. */
typedef struct jali_hospital_sums {
    double sum[QUESTIONS][2][2]; /* [question][high, low][all, without the reasons] */
    uint64_t n[QUESTIONS][2][2];
    uint64_t profile[PROFILES], persons, above_cap;
} jali_hospital_sums;

void jali_hospital_count(jali_hospital_sums *sums, const jali_visit *v);
void jali_hospital_declare(jali_mock_job *job);
void jali_hospital_tell(jali_mock_job *job, const jali_hospital_sums *sums);

#endif
