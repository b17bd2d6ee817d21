/* mock/facts.c — the numbers of the made-up hospital; docs/mock.md tells their story. */
#include "mock/hospital.h"

const char *const jali_hospital_sexes[SEXES] = { "female", "male" };
const char *const jali_hospital_livings[LIVINGS] = { "family", "alone", "care home" };
const char *const jali_hospital_smokers[SMOKERS] = { "never", "former", "current" };
const char *const jali_hospital_medicines[MEDICINES] = { "none", "painkiller", "insulin",
                                                         "blood thinner" };
const char *const jali_hospital_admissions[ADMISSIONS] = { "planned", "emergency", "transfer" };
const char *const jali_hospital_wards[WARDS] = { "surgery", "maternity", "internal",
                                                 "cardiology", "geriatrics" };
const char *const jali_hospital_diagnoses[DIAGNOSES] = {
    "injury", "birth", "diabetes", "infarction", "heart failure", "infection", "other"
};

/* Measures: age in years, bmi, pressure in mm Hg, glucose in mmol/l. */
const jali_profile jali_profiles[PROFILES] = {
    { .name = "young and injured",
      .share = 0.22,
      .middle = { 28, 22.5, 124, 5.0 },
      .spread = { 5, 1.5, 5, 0.4 },
      .sex = { 0.40, 0.60 },
      .living = { 0.66, 0.31, 0.03 },
      .smoker = { 0.62, 0.16, 0.22 },
      .medicine = { 0.55, 0.38, 0.03, 0.04 },
      .admission = { 0.08, 0.88, 0.04 },
      .diagnosis = { 0.78, 0, 0.02, 0, 0, 0.10, 0.10 },
      .tell_column = "admission",
      .tell_value = "emergency" },
    { .name = "mothers to be",
      .share = 0.16,
      .middle = { 31, 29, 104, 5.2 },
      .spread = { 4, 1.5, 5, 0.4 },
      .sex = { 1, 0 },
      .living = { 0.80, 0.18, 0.02 },
      .smoker = { 0.76, 0.17, 0.07 },
      .medicine = { 0.80, 0.13, 0.03, 0.04 },
      .admission = { 0.70, 0.24, 0.06 },
      .diagnosis = { 0.01, 0.86, 0.02, 0, 0, 0.06, 0.05 },
      .tell_column = "sex",
      .tell_value = "female" },
    { .name = "diabetic",
      .share = 0.24,
      .middle = { 57, 34, 140, 12.0 },
      .spread = { 5, 2, 6, 1.1 },
      .sex = { 0.42, 0.58 },
      .living = { 0.64, 0.32, 0.04 },
      .smoker = { 0.55, 0.25, 0.20 },
      .medicine = { 0.08, 0.10, 0.78, 0.04 },
      .admission = { 0.58, 0.32, 0.10 },
      .diagnosis = { 0.04, 0, 0.60, 0, 0.08, 0.16, 0.12 },
      .tell_column = "medicine",
      .tell_value = "insulin" },
    { .name = "heart",
      .share = 0.22,
      .middle = { 68, 27, 166, 6.2 },
      .spread = { 5, 1.8, 6, 0.5 },
      .sex = { 0.40, 0.60 },
      .living = { 0.62, 0.33, 0.05 },
      .smoker = { 0.12, 0.76, 0.12 },
      .medicine = { 0.30, 0.26, 0.08, 0.36 },
      .admission = { 0.50, 0.40, 0.10 },
      .diagnosis = { 0.02, 0, 0.02, 0.40, 0.40, 0.04, 0.12 },
      .tell_column = "smoker",
      .tell_value = "former" },
    { .name = "frail",
      .share = 0.16,
      .middle = { 84, 20, 132, 5.8 },
      .spread = { 3, 1.5, 6, 0.5 },
      .sex = { 0.50, 0.50 },
      .living = { 0.10, 0.14, 0.76 },
      .smoker = { 0.64, 0.26, 0.10 },
      .medicine = { 0.40, 0.38, 0.07, 0.15 },
      .admission = { 0.38, 0.42, 0.20 },
      .diagnosis = { 0.34, 0, 0.04, 0.01, 0.06, 0.38, 0.17 },
      .to_geriatrics = 0.8,
      .tell_column = "living",
      .tell_value = "care home" },
};

const double jali_ward_of[DIAGNOSES][WARDS] = {
    [INJURY] = { 0.88, 0, 0.02, 0, 0.10 },
    [BIRTH] = { 0, 1, 0, 0, 0 },
    [DIABETES] = { 0, 0, 0.90, 0.10, 0 },
    [INFARCTION] = { 0, 0, 0.08, 0.92, 0 },
    [HEART_FAILURE] = { 0, 0, 0.40, 0.60, 0 },
    [INFECTION] = { 0.05, 0.02, 0.63, 0, 0.30 },
    [OTHER_DIAGNOSIS] = { 0.15, 0.05, 0.50, 0.15, 0.15 },
};

/* Three towns that a planner would serve, a suburb, and a hamlet far from all of them. */
const jali_hospital_town jali_hospital_towns[TOWNS] = {
    { "Kessel", 12, 13, 2.4, 0.40 }, { "Marn", 27, 11, 1.8, 0.24 },
    { "Holt", 17, 28, 1.6, 0.18 },   { "Vey", 10, 22, 1.2, 0.12 },
    { "Oske", 37, 37, 0.6, 0.02 },
};
