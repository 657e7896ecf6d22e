/*-------------------------------------------------------------------------
 *
 * zz_hash_cost.c
 *	  The cost of core's hash join below our nodes.
 *
 * Core prohibits a hash join if the rows of its most common key may not fit in
 * memory, since these cannot be divided into batches.  Where there are no
 * statistics it takes the frequency of that key for zero up to 18, and for one
 * since 19.  That is prudent if there is another way to do the join.  For ours
 * the other way compares each row with each, and an expression never has
 * statistics.
 *
 * The planner keeps what it has found out about a key with the clause, and asks
 * no further; 19 takes a zero there for unknown.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/pathnode.h"
#include "utils/selfuncs.h"

#include "zz_hash_cost.h"

/*
 * Is nothing known about the values of key?
 */
static bool
lacks_statistics(PlannerInfo *root, Node *key)
{
	VariableStatData vardata;
	bool		isdefault;
	bool		result;

	examine_variable(root, key, 0, &vardata);
	get_variable_numdistinct(&vardata, &isdefault);
	result = isdefault && !HeapTupleIsValid(vardata.statsTuple);
	ReleaseVariableStats(vardata);
	return result;
}

void
zz_hash_cost_without_statistics(PlannerInfo *root, List *hashclauses,
								const RelOptInfo *innerrel,
								const JoinCostWorkspace *workspace)
{
	double		nbuckets = (double) workspace->numbuckets * workspace->numbatches;
	Selectivity one_row = 1.0 / workspace->inner_rows_total;
	ListCell   *lc;

	foreach(lc, hashclauses)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);
		bool		inner_is_right = bms_is_subset(rinfo->right_relids,
												   innerrel->relids);
		Node	   *key = inner_is_right ? get_rightop(rinfo->clause) :
		get_leftop(rinfo->clause);
		Selectivity bucketsize;
		Selectivity most_common;

		if (!lacks_statistics(root, key))
			continue;

		estimate_hash_bucket_stats(root, key, nbuckets, &most_common,
								   &bucketsize);
		if (inner_is_right)
		{
			rinfo->right_bucketsize = bucketsize;
			rinfo->right_mcvfreq = one_row;
		}
		else
		{
			rinfo->left_bucketsize = bucketsize;
			rinfo->left_mcvfreq = one_row;
		}
	}
}
