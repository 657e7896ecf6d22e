/*-------------------------------------------------------------------------
 *
 * zz_match.c
 *	  Which indexes of a table may be sides of a zigzag.
 *
 * A candidate is a valid btree index of which at least the first key column is
 * bound by a restriction: column = value, column IS NULL, or a boolean column
 * tested for truth.  Columns are bound from the first on; the first one that is
 * not bound begins the suffix, even if a later one could be bound, since the
 * suffix has to be what the entries are sorted by.
 *
 * value is anything that is the same for all rows of one scan: a constant, a
 * parameter, a stable function, the result of an InitPlan.
 *
 * Unlike core's own matching (whose functions are private to indxpath.c) only
 * conditions that the index answers exactly are of interest.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/nbtree.h"
#include "access/stratnum.h"
#include "catalog/pg_am_d.h"
#include "catalog/pg_operator_d.h"
#include "catalog/pg_opfamily_d.h"
#include "catalog/pg_type_d.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "utils/lsyscache.h"

#include "zz_compat.h"
#include "zz_match.h"

/*
 * Columns of the index that are part of the zigzag key.
 */
int
zz_match_nsuffix(const ZigzagCandidate *candidate)
{
	return candidate->index->nkeycolumns - candidate->nfixed;
}

/*
 * Is value = key for the key column in the operator family?  Returns the clause
 * with the key on the left, or NULL.
 */
static Expr *
match_equality(PlannerInfo *root, RestrictInfo *rinfo, IndexOptInfo *index,
			   int column)
{
	OpExpr	   *op = (OpExpr *) rinfo->clause;
	Node	   *value;
	Oid			opno = op->opno;
	bool		commute = false;
	Oid			lefttype;
	Oid			righttype;

	if (list_length(op->args) != 2)
		return NULL;

	if (index->indexcollations[column] != InvalidOid &&
		index->indexcollations[column] != op->inputcollid)
		return NULL;

	if (bms_is_empty(rinfo->right_relids) &&
		match_index_to_operand(linitial(op->args), column, index))
		value = lsecond(op->args);
	else if (bms_is_empty(rinfo->left_relids) &&
			 match_index_to_operand(lsecond(op->args), column, index))
	{
		value = linitial(op->args);
		opno = get_commutator(opno);
		commute = true;
	}
	else
		return NULL;

	if (!OidIsValid(opno) ||
		get_op_opfamily_strategy(opno, index->opfamily[column]) != BTEqualStrategyNumber ||
		contain_volatile_functions(value))
		return NULL;

	/* The family may know the operator but not how to sort across the types. */
	op_input_types(opno, &lefttype, &righttype);
	if (lefttype != index->opcintype[column] ||
		!OidIsValid(get_opfamily_proc(index->opfamily[column],
									  lefttype, righttype, BTORDER_PROC)))
		return NULL;

	if (commute)
	{
		op = copyObject(op);
		CommuteOpExpr(op);
	}
	return (Expr *) op;
}

/*
 * The same for a column of type boolean: flag, NOT flag, flag IS TRUE, flag IS
 * FALSE become flag = true and flag = false.  flag may be an expression that the
 * index stores, as in an index on ((a > 3)).
 */
static Expr *
match_boolean(RestrictInfo *rinfo, IndexOptInfo *index, int column)
{
	Node	   *clause = (Node *) rinfo->clause;
	Node	   *operand = clause;
	bool		value = true;

	if (is_notclause(clause))
	{
		operand = (Node *) get_notclausearg(clause);
		value = false;
	}
	else if (IsA(clause, BooleanTest))
	{
		BooleanTest *test = (BooleanTest *) clause;

		if (test->booltesttype != IS_TRUE && test->booltesttype != IS_FALSE)
			return NULL;
		operand = (Node *) test->arg;
		value = test->booltesttype == IS_TRUE;
	}

	if (!match_index_to_operand(operand, column, index))
		return NULL;

	return make_opclause(BooleanEqualOperator, BOOLOID, false,
						 (Expr *) operand,
						 (Expr *) makeBoolConst(value, false),
						 InvalidOid, InvalidOid);
}

/*
 * The clause by which rinfo binds a column of the index, or NULL.
 */
static Expr *
match_clause(PlannerInfo *root, RestrictInfo *rinfo, IndexOptInfo *index,
			 int column)
{
	Node	   *clause = (Node *) rinfo->clause;

	/* First, since any clause may be what the index stores the truth of. */
	if (index->opfamily[column] == BOOL_BTREE_FAM_OID)
	{
		Expr	   *bound = match_boolean(rinfo, index, column);

		if (bound != NULL)
			return bound;
	}

	if (IsA(clause, OpExpr))
		return match_equality(root, rinfo, index, column);

	if (IsA(clause, NullTest))
	{
		NullTest   *test = (NullTest *) clause;

		if (test->nulltesttype == IS_NULL && !test->argisrow &&
			match_index_to_operand((Node *) test->arg, column, index))
			return (Expr *) test;
	}

	return NULL;
}

/*
 * Bind the columns of an index, as far as they can be.  NULL if not even the
 * first one can.
 */
static ZigzagCandidate *
match_index(PlannerInfo *root, RelOptInfo *rel, IndexOptInfo *index)
{
	ZigzagCandidate *candidate = NULL;

	for (int column = 0; column < index->nkeycolumns; column++)
	{
		Expr	   *bound = NULL;
		int			position = 0;
		ListCell   *lc;

		foreach(lc, rel->baserestrictinfo)
		{
			RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);

			if (!rinfo->pseudoconstant &&
				restriction_is_securely_promotable(rinfo, rel))
				bound = match_clause(root, rinfo, index, column);
			if (bound != NULL)
				break;
			position++;
		}
		if (bound == NULL)
			break;

		if (candidate == NULL)
		{
			candidate = palloc0(sizeof(ZigzagCandidate));
			candidate->index = index;
		}
		candidate->nfixed++;
		candidate->rinfos = lappend(candidate->rinfos, lfirst(lc));
		candidate->clauses = lappend(candidate->clauses, bound);
		candidate->answered = bms_add_member(candidate->answered, position);
	}

	return candidate;
}

/*
 * Add the restrictions that the predicate of a partial index implies to what
 * the candidate answers: another side that only binds these adds nothing.
 *
 * indrestrictinfo cannot tell: it keeps such restrictions where rows may be
 * rechecked.
 */
static void
add_implied(RelOptInfo *rel, ZigzagCandidate *candidate)
{
	int			position = 0;
	ListCell   *lc;

	foreach(lc, rel->baserestrictinfo)
	{
		Expr	   *clause = lfirst_node(RestrictInfo, lc)->clause;

		if (!bms_is_member(position, candidate->answered) &&
			!contain_mutable_functions((Node *) clause) &&
			predicate_implied_by(list_make1(clause), candidate->index->indpred,
								 false))
			candidate->answered = bms_add_member(candidate->answered, position);
		position++;
	}
}

/*
 * Is there one row at most that the candidate's index leads to?
 */
static bool
finds_one_row(const ZigzagCandidate *candidate)
{
	ListCell   *lc;

	if (!candidate->index->unique || zz_match_nsuffix(candidate) > 0)
		return false;

	foreach(lc, candidate->clauses)
	{
		if (IsA(lfirst(lc), NullTest))
			return false;
	}
	return true;
}

/*
 * The candidate that an index makes, or NULL.
 */
static ZigzagCandidate *
match_candidate(PlannerInfo *root, RelOptInfo *rel, IndexOptInfo *index)
{
	ZigzagCandidate *candidate;

	if (index->relam != BTREE_AM_OID || index->hypothetical ||
		zz_index_is_disabled(index) ||
		(index->indpred != NIL && !index->predOK))
		return NULL;

	candidate = match_index(root, rel, index);
	if (candidate != NULL && index->indpred != NIL)
		add_implied(rel, candidate);

	return candidate;
}

/*
 * All candidates among the indexes of rel, a list of ZigzagCandidate.  None if
 * one index finds the only row there can be: a zigzag has nothing to skip.
 * Unique indexes come first, so that the lookup of a key ends with them.
 */
List *
zz_match_candidates(PlannerInfo *root, RelOptInfo *rel)
{
	List	   *candidates = NIL;
	ListCell   *lc;

	for (int unique = 1; unique >= 0; unique--)
	{
		foreach(lc, rel->indexlist)
		{
			IndexOptInfo *index = lfirst_node(IndexOptInfo, lc);
			ZigzagCandidate *candidate;

			if (index->unique != (bool) unique)
				continue;
			candidate = match_candidate(root, rel, index);
			if (candidate == NULL)
				continue;
			if (finds_one_row(candidate))
				return NIL;
			candidates = lappend(candidates, candidate);
		}
	}

	return candidates;
}

/*
 * Do two candidates sort their entries by the same columns in the same way?
 *
 * Opposite directions do not do, though one of the indexes could be read
 * backward: TIDs ascend among equal keys in both of them, so that read in
 * opposite directions they disagree on the order of TIDs.
 */
bool
zz_match_same_suffix(const ZigzagCandidate *a, const ZigzagCandidate *b)
{
	int			nsuffix = zz_match_nsuffix(a);
	const IndexOptInfo *ia = a->index;
	const IndexOptInfo *ib = b->index;

	if (nsuffix != zz_match_nsuffix(b))
		return false;

	for (int i = 0; i < nsuffix; i++)
	{
		int			ca = a->nfixed + i;
		int			cb = b->nfixed + i;

		if (ia->indexkeys[ca] != ib->indexkeys[cb] ||
			ia->opfamily[ca] != ib->opfamily[cb] ||
			ia->opcintype[ca] != ib->opcintype[cb] ||
			ia->indexcollations[ca] != ib->indexcollations[cb] ||
			ia->reverse_sort[ca] != ib->reverse_sort[cb] ||
			ia->nulls_first[ca] != ib->nulls_first[cb])
			return false;
		if (ia->indexkeys[ca] == 0 &&
			!equal(((TargetEntry *) list_nth(ia->indextlist, ca))->expr,
				   ((TargetEntry *) list_nth(ib->indextlist, cb))->expr))
			return false;
	}

	return true;
}
