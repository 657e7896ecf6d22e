/*-------------------------------------------------------------------------
 *
 * zigzag.c
 *	  Entry of the extension: load, settings, SQL-callable functions.
 *
 * Loading the library is all it takes: the planner hooks are in place from then
 * on.  CREATE EXTENSION loads it too, into its own session.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/varlena.h"

#include "zigzag.h"
#include "zz_compat.h"
#include "zz_exec_mark.h"
#include "zz_exec_nullaware.h"
#include "zz_exec_scan.h"
#include "zz_hooks.h"

ZIGZAG_MODULE_MAGIC;

bool		zz_enable = true;
bool		zz_enable_scan = true;
bool		zz_enable_notin = true;
bool		zz_enable_mark = true;
bool		zz_enable_or = true;
bool		zz_enable_probe = true;
bool		zz_warn_null = false;
int			zz_max_sides = ZIGZAG_MAX_SIDES;
bool		zz_debug_force = false;

/* Is the notice of tell_how_to_preload to be given in this transaction? */
static bool preload_notice_due = false;

extern PGDLLEXPORT void _PG_init(void);
extern PGDLLEXPORT Datum zigzag_version(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum zigzag_activate(PG_FUNCTION_ARGS);

PG_FUNCTION_INFO_V1(zigzag_version);
PG_FUNCTION_INFO_V1(zigzag_activate);

static void
define_settings(void)
{
	DefineCustomBoolVariable("zigzag.enable",
							 "Enables the planner's use of zigzag plans of every kind.",
							 NULL,
							 &zz_enable,
							 true,
							 PGC_USERSET, GUC_EXPLAIN,
							 NULL, NULL, NULL);
	DefineCustomBoolVariable("zigzag.enable_scan",
							 "Enables the planner's use of ZigzagScan plans.",
							 NULL,
							 &zz_enable_scan,
							 true,
							 PGC_USERSET, GUC_EXPLAIN,
							 NULL, NULL, NULL);
	DefineCustomBoolVariable("zigzag.enable_mark",
							 "Enables the planner's use of MarkJoin plans.",
							 NULL,
							 &zz_enable_mark,
							 true,
							 PGC_USERSET, GUC_EXPLAIN,
							 NULL, NULL, NULL);
	DefineCustomBoolVariable("zigzag.enable_notin",
							 "Enables the planner's use of joins for NOT IN.",
							 NULL,
							 &zz_enable_notin,
							 true,
							 PGC_USERSET, GUC_EXPLAIN,
							 NULL, NULL, NULL);
	DefineCustomBoolVariable("zigzag.enable_or",
							 "Enables the planner to plan the arms of an OR with a subquery apart.",
							 NULL,
							 &zz_enable_or,
							 true,
							 PGC_USERSET, GUC_EXPLAIN,
							 NULL, NULL, NULL);
	DefineCustomBoolVariable("zigzag.enable_probe",
							 "Enables the planner to find the value of an IN by index probes.",
							 NULL,
							 &zz_enable_probe,
							 true,
							 PGC_USERSET, GUC_EXPLAIN,
							 NULL, NULL, NULL);
	DefineCustomBoolVariable("zigzag.warn_null",
							 "Reports a NOT IN that is empty because of a NULL in its subquery.",
							 "While it is on, NOT IN is planned as a join wherever it can be.",
							 &zz_warn_null,
							 false,
							 PGC_USERSET, GUC_EXPLAIN,
							 NULL, NULL, NULL);
	DefineCustomIntVariable("zigzag.max_sides",
							"Sets the maximum number of indexes in one ZigzagScan.",
							NULL,
							&zz_max_sides,
							ZIGZAG_MAX_SIDES, 2, ZIGZAG_MAX_SIDES,
							PGC_USERSET, GUC_EXPLAIN,
							NULL, NULL, NULL);
	DefineCustomBoolVariable("zigzag.debug_force",
							 "Makes a legal zigzag plan win over every other plan.",
							 "This is for tests: the plan may be far slower.",
							 &zz_debug_force,
							 false,
							 PGC_USERSET, GUC_EXPLAIN | GUC_NOT_IN_SAMPLE,
							 NULL, NULL, NULL);
	MarkGUCPrefixReserved("zigzag");
}

void
_PG_init(void)
{
	define_settings();
	zz_exec_scan_register();
	zz_exec_mark_register();
	zz_exec_nullaware_register();
	zz_hooks_install();
}

/*
 * zigzag_version() returns text: the version of the loaded library.
 */
Datum
zigzag_version(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(ZIGZAG_VERSION));
}

/*
 * Does a preload setting name this library?  A path or a suffix may stand
 * around the name.
 */
static bool
is_preloaded_by(const char *setting)
{
	const char *value = GetConfigOption(setting, true, false);
	List	   *libraries = NIL;
	ListCell   *lc;

	if (value == NULL || value[0] == '\0' ||
		!SplitDirectoriesString(pstrdup(value), ',', &libraries))
		return false;

	foreach(lc, libraries)
	{
		const char *name = last_dir_separator((char *) lfirst(lc));

		name = name != NULL ? name + 1 : (const char *) lfirst(lc);
		if (strcmp(name, "zigzag") == 0 || strcmp(name, "zigzag.so") == 0)
			return true;
	}
	return false;
}

/*
 * Say what makes the library last, when the transaction that created the
 * extension commits: while the script of an extension runs, notices are not
 * shown.  Whoever has silenced notices himself does not see it then either.
 */
static void
tell_how_to_preload(XactEvent event, void *arg)
{
	if (!preload_notice_due)
		return;

	preload_notice_due = false;
	if (event == XACT_EVENT_PRE_COMMIT || event == XACT_EVENT_PRE_PREPARE)
		ereport(NOTICE,
				(errmsg("zigzag is active in this session only"),
				 errhint("Add \"zigzag\" to session_preload_libraries or shared_preload_libraries to use it in every session.")));
}

/*
 * zigzag_activate() returns void: called by CREATE EXTENSION.  That it runs at
 * all has loaded the library; nothing else is left to do if a setting loads it
 * into other sessions, too.
 */
Datum
zigzag_activate(PG_FUNCTION_ARGS)
{
	static bool registered = false;

	if (is_preloaded_by("shared_preload_libraries") ||
		is_preloaded_by("session_preload_libraries") ||
		is_preloaded_by("local_preload_libraries"))
		PG_RETURN_VOID();

	if (!registered)
		RegisterXactCallback(tell_how_to_preload, NULL);
	registered = true;
	preload_notice_due = true;

	PG_RETURN_VOID();
}
