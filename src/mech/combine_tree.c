/* mech/combine_tree.c — combinations drawn from a tree of upper bounds that sharpens itself.
 *
 * A node is a prefix: the first clusters of an order have their attributes. Its mass is an
 * upper bound on the weight of all that is below it: the pairs inside the prefix and between
 * it and the rest are paid for, those within the rest are not. Children have less mass than
 * their parent; what is missing is dead. A trial walks down from the root, each child drawn
 * by its mass, and fails when it draws what is dead. A failed trial leaves the tree sharper,
 * for the dead mass it found is gone. Whatever happened before, a trial that ends in a full
 * combination ends in it with probability proportional to its weight.
 *
 * Claim    combine.tree
 *          P(combination) = exp(-rate * (sum of behind + sum of W)) e^t / Z with the same Z for
 *          all and |t| <= 2 eta, eta = n each (|A| + n (|A| each^2 + 64)) 2^-51.
 * Proof    proofs/combine.md#combine.tree
 * Source   The Gumbel tree with a dead child of research A.3, in its discrete form: its first
 *          full combination is what the first successful trial returns. No real-valued noise
 *          has to be rounded here, and dead mass that was seen is not met twice.
 * Law      the claim's
 * Test     tests/mech/combine_test.c (all combinations enumerated)
 * Silent   Time and memory depend on the scores, and have no bound below |A|^n.
 */
#include "dice/weigh.h"
#include "mech/combine_inside.h"
#include <stdlib.h>

typedef struct node {
    jali_wide mass;
    jali_wide *share;  /* of the children; NULL before they were looked at */
    struct node **kid; /* NULL where nobody went yet                       */
} node;

/* Weights of one cluster that has no attribute yet, with what the prefix costs it, and the
 * symmetric sums of those before and from an attribute: low[a][i] over attributes < a,
 * high[a][i] over attributes >= a, i of them taken. */
typedef struct outlook {
    jali_wide *x, *low, *high;
} outlook;

typedef struct tree {
    const jali_knot *knot;
    jali_arena arena;
    uint32_t *order; /* clusters */
    uint32_t *path;  /* attributes of the slots on the way down */
    node **way;      /* nodes on the way down                   */
    outlook *ahead;  /* per cluster                              */
    jali_wide *draw; /* |A| + 1 weights                          */
    uint32_t slots;
} tree;

static size_t cell(const jali_knot *k, uint32_t a, uint32_t i)
{
    return (size_t)a * (k->each + 1) + i;
}

/* ---- what is ahead ---------------------------------------------------------------------- */

/* What attribute a costs cluster c, given the first `depth` slots. */
static uint64_t cost(const tree *t, uint32_t depth, uint32_t c, uint32_t a)
{
    const jali_knot *k = t->knot;
    uint64_t sum = jali_knot_behind(k, c, a);
    for (uint32_t s = 0; s < depth; s++) {
        uint32_t d = t->order[s / k->each];
        if (t->path[s] == a && d != c) sum += jali_knot_W(k, a, c, d);
    }
    return sum;
}

/* symmetric sums of one more: out[i] = in[i] + x in[i-1] */
static void one_more(const jali_knot *k, const jali_wide *in, jali_wide x, jali_wide *out)
{
    out[0] = in[0];
    for (uint32_t i = 1; i <= k->each; i++)
        out[i] = jali_wide_add(in[i], jali_wide_mul(x, in[i - 1]));
}

static void nothing_taken(const jali_knot *k, jali_wide *sums)
{
    for (uint32_t i = 0; i <= k->each; i++)
        sums[i] = i == 0 ? jali_wide_one() : jali_wide_zero();
}

static void look_ahead(tree *t, uint32_t depth, uint32_t c)
{
    const jali_knot *k = t->knot;
    outlook *o = &t->ahead[c];
    for (uint32_t a = 0; a < k->attributes; a++)
        o->x[a] = jali_knot_may(k, c, a) ? jali_wide_exp(k->rate, cost(t, depth, c, a))
                                         : jali_wide_zero();
    nothing_taken(k, o->low);
    nothing_taken(k, o->high + cell(k, k->attributes, 0));
    for (uint32_t a = 0; a < k->attributes; a++)
        one_more(k, o->low + cell(k, a, 0), o->x[a], o->low + cell(k, a + 1, 0));
    for (uint32_t a = k->attributes; a-- > 0;)
        one_more(k, o->high + cell(k, a + 1, 0), o->x[a], o->high + cell(k, a, 0));
}

/* The mass of cluster c if its weight of attribute a were x: no subtraction, so no loss. */
static jali_wide mass_with(const jali_knot *k, const outlook *o, uint32_t a, jali_wide x)
{
    const jali_wide *low = o->low + cell(k, a, 0), *high = o->high + cell(k, a + 1, 0);
    jali_wide sum = jali_wide_zero();
    for (uint32_t i = 0; i <= k->each; i++) {
        sum = jali_wide_add(sum, jali_wide_mul(low[i], high[k->each - i]));
        if (i < k->each)
            sum = jali_wide_add(sum,
                                jali_wide_mul(x, jali_wide_mul(low[i], high[k->each - 1 - i])));
    }
    return sum;
}

/* ---- nodes ------------------------------------------------------------------------------ */

static node *node_new(tree *t, jali_wide mass)
{
    node *n = jali_arena_take(&t->arena, 1, sizeof *n);
    if (n != NULL) *n = (node){ .mass = mass };
    return n;
}

/* How far behind the prefix is: whole, exact. */
static uint64_t behind_prefix(const tree *t, uint32_t depth)
{
    uint64_t sum = 0;
    for (uint32_t s = 0; s < depth; s++)
        sum += cost(t, s, t->order[s / t->knot->each], t->path[s]);
    return sum;
}

/* The mass of the child that takes attribute a at `depth`. */
static jali_wide share_of(tree *t, uint32_t depth, uint64_t behind, uint32_t a)
{
    const jali_knot *k = t->knot;
    uint32_t place = depth / k->each, c = t->order[place], rest = k->each - 1 - depth % k->each;
    jali_wide w = jali_wide_exp(k->rate, behind + cost(t, depth, c, a));
    w = jali_wide_mul(w, t->ahead[c].high[cell(k, a + 1, rest)]);
    for (uint32_t i = place + 1; i < k->n; i++) {
        uint32_t d = t->order[i];
        jali_wide x =
            jali_knot_may(k, d, a)
                ? jali_wide_exp(k->rate, cost(t, depth, d, a) + jali_knot_W(k, a, d, c))
                : jali_wide_zero();
        w = jali_wide_mul(w, mass_with(k, &t->ahead[d], a, x));
    }
    return w;
}

static jali_status open_node(tree *t, node *n, uint32_t depth)
{
    const jali_knot *k = t->knot;
    uint32_t place = depth / k->each, c = t->order[place];
    uint32_t from = depth % k->each == 0 ? 0 : t->path[depth - 1] + 1;
    uint64_t behind = behind_prefix(t, depth);
    n->share = jali_arena_take(&t->arena, k->attributes, sizeof *n->share);
    n->kid = jali_arena_take(&t->arena, k->attributes, sizeof(node *));
    if (n->share == NULL || n->kid == NULL) return JALI_E_NOMEM;
    for (uint32_t i = place; i < k->n; i++) look_ahead(t, depth, t->order[i]);
    for (uint32_t a = 0; a < k->attributes; a++) {
        n->kid[a] = NULL;
        n->share[a] = a >= from && jali_knot_may(k, c, a) ? share_of(t, depth, behind, a)
                                                          : jali_wide_zero();
    }
    return JALI_OK;
}

static jali_wide sum_of(const jali_wide *share, uint32_t n)
{
    jali_wide sum = jali_wide_zero();
    for (uint32_t a = 0; a < n; a++) sum = jali_wide_add(sum, share[a]);
    return sum;
}

/* ---- trials ----------------------------------------------------------------------------- */

/* One step down from n; *dead when the trial is over. */
static jali_status step(tree *t, node *n, uint32_t depth, jali_dice *dice, bool *dead)
{
    uint32_t A = t->knot->attributes;
    bool fresh = n->share == NULL;
    if (fresh) JALI_TRY(open_node(t, n, depth));
    memcpy(t->draw, n->share, A * sizeof *t->draw);
    t->draw[A] = fresh ? jali_wide_less(n->mass, sum_of(n->share, A)) : jali_wide_zero();
    size_t winner;
    JALI_TRY(jali_weigh_draw(t->draw, (size_t)A + 1, dice, &winner));
    t->path[depth] = (uint32_t)winner;
    *dead = winner == A;
    return JALI_OK;
}

static jali_status descend(tree *t, node *n, uint32_t depth, node **out)
{
    uint32_t a = t->path[depth];
    if (n->kid[a] == NULL && depth + 1 < t->slots) {
        n->kid[a] = node_new(t, n->share[a]);
        if (n->kid[a] == NULL) return JALI_E_NOMEM;
    }
    *out = n->kid[a];
    return JALI_OK;
}

/* The masses on the way, from below, without the dead ones. */
static void sharpen(tree *t, uint32_t depth)
{
    for (uint32_t i = depth + 1; i-- > 0;) {
        node *n = t->way[i];
        n->mass = sum_of(n->share, t->knot->attributes);
        if (i > 0) t->way[i - 1]->share[t->path[i - 1]] = n->mass;
    }
}

static jali_status trial(tree *t, node *root, jali_dice *dice, bool *done)
{
    node *n = root;
    *done = false;
    for (uint32_t depth = 0; depth < t->slots; depth++) {
        bool dead;
        t->way[depth] = n;
        JALI_TRY(step(t, n, depth, dice, &dead));
        if (dead) {
            sharpen(t, depth);
            return JALI_OK;
        }
        JALI_TRY(descend(t, n, depth, &n));
    }
    *done = true;
    return JALI_OK;
}

/* ---- from start to finish -----------------------------------------------------------------
 */

/* The lead of a cluster's best attribute. */
static uint64_t lead(const jali_knot *k, uint32_t c)
{
    uint64_t least = UINT64_MAX;
    bool best = false;
    for (uint32_t a = 0; a < k->attributes; a++) {
        if (!jali_knot_may(k, c, a)) continue;
        uint64_t b = jali_knot_behind(k, c, a);
        if (b == 0 && !best)
            best = true;
        else
            least = b < least ? b : least;
    }
    return least;
}

/* Clear cases first: they bind the others. Any order gives the same law. */
static void set_order(tree *t)
{
    for (uint32_t i = 0; i < t->knot->n; i++) {
        uint32_t at = i;
        uint64_t mine = lead(t->knot, i);
        for (; at > 0 && lead(t->knot, t->order[at - 1]) < mine; at--)
            t->order[at] = t->order[at - 1];
        t->order[at] = i;
    }
}

static jali_status tree_init(tree *t, const jali_knot *k)
{
    *t = (tree){ .knot = k, .slots = k->n * k->each };
    jali_arena *arena = &t->arena;
    t->order = jali_arena_take(arena, k->n, sizeof *t->order);
    t->path = jali_arena_take(arena, t->slots, sizeof *t->path);
    t->way = jali_arena_take(arena, t->slots, sizeof(node *));
    t->ahead = jali_arena_take(arena, k->n, sizeof *t->ahead);
    t->draw = jali_arena_take(arena, (size_t)k->attributes + 1, sizeof *t->draw);
    if (t->order == NULL || t->path == NULL || t->way == NULL || t->ahead == NULL ||
        t->draw == NULL)
        return JALI_E_NOMEM;
    for (uint32_t c = 0; c < k->n; c++) {
        outlook *o = &t->ahead[c];
        o->x = jali_arena_take(arena, k->attributes, sizeof *o->x);
        o->low = jali_arena_take(arena, cell(k, k->attributes + 1, 0), sizeof *o->low);
        o->high = jali_arena_take(arena, cell(k, k->attributes + 1, 0), sizeof *o->high);
        if (o->x == NULL || o->low == NULL || o->high == NULL) return JALI_E_NOMEM;
    }
    set_order(t);
    return JALI_OK;
}

static jali_wide root_mass(tree *t)
{
    const jali_knot *k = t->knot;
    jali_wide w = jali_wide_one();
    for (uint32_t c = 0; c < k->n; c++) {
        look_ahead(t, 0, c);
        w = jali_wide_mul(w, t->ahead[c].high[cell(k, 0, k->each)]);
    }
    return w;
}

jali_status jali_tree_draw(const jali_knot *knot, jali_dice *dice, uint32_t *chosen)
{
    tree t;
    bool done = false;
    jali_status status = tree_init(&t, knot);
    node *root = status == JALI_OK ? node_new(&t, root_mass(&t)) : NULL;
    if (root == NULL) status = JALI_E_NOMEM;
    while (status == JALI_OK && !done) status = trial(&t, root, dice, &done);
    for (uint32_t s = 0; status == JALI_OK && s < t.slots; s++)
        chosen[t.order[s / knot->each] * knot->each + s % knot->each] = t.path[s];
    jali_arena_clear(&t.arena);
    return status;
}
