/* The signed note beside the ledger: the outside half of ledger.evident. */
#define _POSIX_C_SOURCE 200809L
#include "model.h"

static void copy(const char *from, const char *to)
{
    jali_arena arena = JALI_ARENA_INIT;
    char *bytes;
    size_t n;
    CHECK_OK(jali_file_read(from, 1 << 24, &arena, &bytes, &n, NULL));
    desk_write(to, bytes, n, 0600);
    jali_arena_clear(&arena);
}

SENTENCE(a_restored_old_copy_is_noticed)
{
    UNUSED_STATE;
    desk d;
    fill(&d);
    desk_keep(&d);
    jali_ledger *l = desk_open(&d);
    desk_ask(&d, l, "ana", "{\"q\":4}", desk_pure("0.01"));
    CHECK_OK(jali_ledger_close(l, NULL));
    desk_bring_back(&d);
    check_does_not_open(&d, "old copy: it ends at row 7, but row 9 was signed");
    check_bad(&d, 8, "missing");
    desk_clear(&d);
}

/* Also while the writer never closes: a note is written on the way. */
SENTENCE(a_note_is_signed_on_the_way)
{
    UNUSED_STATE;
    desk d;
    char plan[32];
    jali_charge *c;
    desk_create(&d, "1000", "0");
    jali_ledger *l = desk_open(&d);
    for (int i = 0; i < JALI_LEDGER_CHECKPOINT_ROWS; i++) {
        snprintf(plan, sizeof plan, "{\"q\":%d}", i);
        CHECK_OK(desk_pay(&d, l, "ana", plan, desk_pure("0.01"), &c, NULL));
        jali_charge_free(c);
    }
    assert_int_equal(desk_verify(&d).signed_row, JALI_LEDGER_CHECKPOINT_ROWS + 1);
    CHECK_OK(jali_ledger_close(l, NULL));
    desk_clear(&d);
}

SENTENCE(a_checkpoint_that_is_gone_or_edited_or_anothers_is_refused)
{
    UNUSED_STATE;
    desk d, other;
    char note[128], key[128], others[128], *text;
    size_t n;
    fill(&d);
    desk_create(&other, "1", "0");
    snprintf(note, sizeof note, "%s.checkpoint", d.file);
    snprintf(key, sizeof key, "%s.key", d.file);
    snprintf(others, sizeof others, "%s.checkpoint", other.file);
    CHECK_OK(jali_file_read(note, 4096, &d.arena, &text, &n, NULL));
    for (size_t i = 0; i < n; i += 5) { /* anywhere in it */
        text[i] ^= 1;
        desk_write(note, text, n, 0644);
        check_bad(&d, 0, "not signed");
        text[i] ^= 1;
    }
    CHECK_OK(jali_file_replace(note, text, n / 2, 0644, NULL));
    check_does_not_open(&d, "not signed by the key");
    copy(others, note);
    check_does_not_open(&d, "not signed by the key");
    CHECK(unlink(note) == 0);
    check_does_not_open(&d, "is missing");
    check_bad(&d, 0, "is missing");
    desk_write(note, text, n, 0644);
    CHECK(desk_verify(&d).intact);
    snprintf(others, sizeof others, "%s.key", other.file);
    copy(others, key);
    jali_ledger *l = NULL;
    jali_err err;
    CHECK(jali_ledger_open(&l, &d.places, JALI_LEDGER_WRITE, &err) == JALI_E_LEDGER);
    CHECK_REFUSED(err, JALI_E_LEDGER, JALI_FOR_CURATOR, "does not belong");
    desk_clear(&d);
    desk_clear(&other);
}

SENTENCE(a_checkpoint_may_live_elsewhere)
{
    UNUSED_STATE;
    desk d;
    char note[128];
    jali_cap cap = desk_cap("1", "0");
    desk_init(&d);
    snprintf(note, sizeof note, "%s/far-away", d.folder);
    d.places.checkpoint = note;
    CHECK_OK(
        jali_ledger_create(&d.places, "census", &cap, &(jali_hand){ "carol", NOON }, NULL));
    CHECK(jali_file_exists(note));
    CHECK(desk_verify(&d).intact);
    d.places.checkpoint = NULL;
    check_bad(&d, 0, "is missing");
    desk_clear(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_restored_old_copy_is_noticed), TEST(a_note_is_signed_on_the_way),
        TEST(a_checkpoint_that_is_gone_or_edited_or_anothers_is_refused),
        TEST(a_checkpoint_may_live_elsewhere)
    };
    return cmocka_run_group_tests(tests, make_model, drop_model);
}
