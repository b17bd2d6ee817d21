/* door/claims.h — the claim cards of the sources, as they were when the program was built. */
#ifndef JALI_DOOR_CLAIMS_H
#define JALI_DOOR_CLAIMS_H

typedef struct jali_claim {
    const char *id, *claim; /* what is promised, for whom, at which price */
    const char *file;       /* the mechanism                              */
    const char *proof, *state;
    const char *source, *law, *test, *silent;
} jali_claim;

/* In order of id; the last has none. Made by tools/embed-claims. */
extern const jali_claim jali_claim_cards[];

#endif
