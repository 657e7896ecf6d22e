/*-------------------------------------------------------------------------
 *
 * zz_nullaware_cost.c
 *	  The cost of a null-aware anti join over patterns of NULLs.
 *
 * The inner rows are read once, hashed by each key column and kept.  Each outer
 * row is looked up once for each pattern of NULLs that the inner rows have; what
 * it finds there is compared.  If the inner rows do not fit into the memory
 * allowed, the outer rows that are left pass once more for each further load.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"

#include "zz_nullaware_cost.h"

/* A row in memory beyond its data: header, hash values, entries in indexes. */
#define ROW_OVERHEAD 96

/* Patterns of NULLs that the inner rows are expected to have. */
#define EXPECTED_PATTERNS 2.0

/*
 * How many inner rows an outer row is compared with, on average.
 */
static double
candidates_per_row(PlannerInfo *root, const ZigzagAntiJoin *join,
				   const Path *inner)
{
	List	   *keys = list_concat_copy(join->nullaware, join->equal);
	SpecialJoinInfo sjinfo = *join->extra->sjinfo;
	Selectivity selec;

	sjinfo.jointype = JOIN_INNER;
	selec = clauselist_selectivity(root, keys, 0, JOIN_INNER, &sjinfo);
	return clamp_row_est(selec * inner->rows);
}

void
zz_cost_nullaware_pattern(PlannerInfo *root, const ZigzagAntiJoin *join,
						  const Path *outer, const Path *inner, Path *path)
{
	int			nkeys = list_length(join->nullaware) + list_length(join->equal);
	double		kept = join->joinrel->rows / Max(join->outerrel->rows, 1.0);
	double		bytes;
	double		loads;
	double		candidates = 1.0;
	Cost		per_row;
	QualCost	residual = {0};

	bytes = inner->rows * (inner->pathtarget->width + ROW_OVERHEAD);
	loads = Max(ceil(bytes / get_hash_memory_limit()), 1.0);

	if (join->residual != NIL)
	{
		cost_qual_eval(&residual, join->residual, root);
		candidates = candidates_per_row(root, join, inner);
	}

	path->rows = clamp_row_est(outer->rows * Min(kept, 1.0));

	path->startup_cost = outer->startup_cost + inner->total_cost +
		residual.startup +
		inner->rows * (cpu_tuple_cost + 2 * nkeys * cpu_operator_cost);
	per_row = nkeys * cpu_operator_cost +
		EXPECTED_PATTERNS * cpu_operator_cost +
		candidates * (cpu_operator_cost + residual.per_tuple);
	path->total_cost = path->startup_cost +
		outer->total_cost - outer->startup_cost +
		outer->rows * per_row + path->rows * cpu_tuple_cost;

	if (loads > 1.0)
	{
		/* Rows that are left are written to a file and read again. */
		double		again = (loads - 1.0) * (outer->rows + path->rows) / 2;
		double		width = outer->pathtarget->width + ROW_OVERHEAD;

		path->total_cost += again * (per_row + 2 * cpu_tuple_cost) +
			2 * seq_page_cost * again * width / BLCKSZ;
		path->startup_cost = path->total_cost - path->rows * cpu_tuple_cost;
	}
}
