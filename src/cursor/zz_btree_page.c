/*-------------------------------------------------------------------------
 *
 * zz_btree_page.c
 *	  Reading the leaf pages of a btree, one private copy at a time.
 *
 * A scan must not hold a page lock while it hands rows to its caller, nor while
 * it runs comparison functions it can avoid running there.  So a leaf page is
 * copied whole under the share lock (as amcheck does) and everything else works
 * on the copy.  Between two copies the scan is "between pages", as nbtree's own
 * scans are: see access/nbtree/README for why splits and deletions that happen
 * there cannot make it lose or repeat an entry.
 *
 * Rules kept here:
 *	- one page locked at a time, none on return;
 *	- half-dead and deleted pages are stepped over;
 *	- every leaf page looked at is predicate-locked, and the whole index if it
 *	  has no page at all, since a serializable transaction must notice whoever
 *	  inserts into what it has read, and into what it has found to be absent;
 *	- with keep_pin, the page of the copy stays pinned until another is copied:
 *	  VACUUM cannot free its TIDs meanwhile (index-only answers rest on that);
 *	- items whose rows the scan has found dead are marked so that later scans
 *	  pass over them, as index scans do, when the scan leaves the page, and only
 *	  if the page is what it was: else VACUUM may have been there, and a TID may
 *	  have been given to another row.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/nbtree.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/bufmgr.h"
#include "storage/predicate.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "zz_btree_page.h"
#include "zz_compat.h"

/*
 * Prepare page for index; nothing is read yet.  On a hot standby the marks of
 * dead items are not to be trusted, since they were set by the primary's
 * horizon, and none are made.
 */
void
zz_btree_page_init(ZigzagBtreePage *page, Relation index, Snapshot snapshot,
				   bool keep_pin, ZigzagCounters *counters)
{
	page->index = index;
	page->snapshot = snapshot;
	page->keep_pin = keep_pin;
	page->ignore_dead = !TransactionStartedDuringRecovery();
	page->mark_dead = page->ignore_dead && RelationNeedsWAL(index);
	page->blkno = InvalidBlockNumber;
	page->left = P_NONE;
	page->right = P_NONE;
	page->pin = InvalidBuffer;
	page->ahead = InvalidBuffer;
	page->ndead = 0;
	page->counters = counters;
}

/*
 * The row of an entry of the item at offset of the copy is dead to all.  To be
 * called for the entries of a posting list without others between them.
 */
void
zz_btree_page_note_dead(ZigzagBtreePage *page, OffsetNumber offset)
{
	if (!page->mark_dead)
		return;
	if (page->ndead > 0 && page->dead[page->ndead - 1].offset == offset)
		page->dead[page->ndead - 1].nentries++;
	else if (page->ndead < lengthof(page->dead))
	{
		page->dead[page->ndead].offset = offset;
		page->dead[page->ndead].nentries = 1;
		page->ndead++;
	}
}

/*
 * Mark the items all of whose entries are dead, on the page itself, if it has
 * not changed since it was copied.  No page is locked by the caller.
 *
 * Every change but that of a hint gives the page another LSN, so an item at the
 * same place of an unchanged page is the same, and its TIDs still belong to the
 * rows that were found dead.  Indexes that write no WAL are left alone.
 */
static void
mark_dead_items(ZigzagBtreePage *page)
{
	Buffer		buf;
	Page		live;
	bool		marking = false;

	if (page->ndead == 0)
		return;

	buf = _bt_getbuf(page->index, page->blkno, BT_READ);
	live = BufferGetPage(buf);
	if (BufferGetLSNAtomic(buf) == page->lsn)
	{
		for (int i = 0; i < page->ndead; i++)
		{
			ZigzagDeadItem *item = &page->dead[i];
			ItemId		itemid = PageGetItemId(live, item->offset);
			IndexTuple	itup = zz_btree_page_item(page, item->offset);
			int			nentries = 1;

			if (BTreeTupleIsPosting(itup))
				nentries = BTreeTupleGetNPosting(itup);
			if (item->nentries < nentries || ItemIdIsDead(itemid))
				continue;
			if (!marking && !zz_begin_hints(buf))
				break;
			marking = true;
			ItemIdMarkDead(itemid);
		}
	}
	if (marking)
	{
		BTPageGetOpaque(live)->btpo_flags |= BTP_HAS_GARBAGE;
		zz_finish_hints(buf);
	}
	_bt_relbuf(page->index, buf);
	page->ndead = 0;
}

/*
 * Be done with the page: mark what is dead on it, drop the pin if there is one,
 * and forget it.
 */
void
zz_btree_page_release(ZigzagBtreePage *page)
{
	mark_dead_items(page);
	if (BufferIsValid(page->pin))
		ReleaseBuffer(page->pin);
	page->pin = InvalidBuffer;
	page->blkno = InvalidBlockNumber;
}

/*
 * A leaf page that will be copied or stepped over has been locked.
 */
static void
visit_leaf(ZigzagBtreePage *page, Buffer buf)
{
	PredicateLockPage(page->index, BufferGetBlockNumber(buf), page->snapshot);
	zz_test_for_old_snapshot(page->snapshot, page->index, BufferGetPage(buf));
	page->counters->pages++;
}

/*
 * The scan will probably go on with the right (or left) sibling: look it up, so
 * that its I/O begins, and its way from memory to the processor once
 * zz_btree_page_warm is called.  Neither pinned nor locked: only a hint.
 */
void
zz_btree_page_look_ahead(ZigzagBtreePage *page, bool backward)
{
	BlockNumber blkno = backward ? page->left : page->right;

	page->ahead = InvalidBuffer;
	if (blkno != P_NONE)
	{
		page->ahead = PrefetchBuffer(page->index, MAIN_FORKNUM, blkno).recent_buffer;
		page->ahead_blkno = blkno;
	}
	page->warmed = 0;
}

/*
 * Lock a leaf page, that which has been looked up ahead or another one.
 */
static Buffer
get_leaf(ZigzagBtreePage *page, BlockNumber blkno)
{
	Buffer		buf = page->ahead;

	page->ahead = InvalidBuffer;
	if (BufferIsValid(buf) && page->ahead_blkno == blkno &&
		ReadRecentBuffer(zz_relation_locator(page->index), MAIN_FORKNUM, blkno,
						 buf))
	{
		pgstat_count_buffer_read(page->index);
		pgstat_count_buffer_hit(page->index);
		_bt_lockbuf(page->index, buf, BT_READ);
		_bt_checkpage(page->index, buf);
		return buf;
	}
	return _bt_getbuf(page->index, blkno, BT_READ);
}

/*
 * Copy the share-locked page in buf, then unlock it and keep or drop the pin.
 */
static void
take_page(ZigzagBtreePage *page, Buffer buf)
{
	Page		source = BufferGetPage(buf);
	BTPageOpaque opaque = BTPageGetOpaque(source);
	PageHeader	header = (PageHeader) source;

	Assert(page->ndead == 0);
	page->blkno = BufferGetBlockNumber(buf);
	page->lsn = BufferGetLSNAtomic(buf);
	page->left = opaque->btpo_prev;
	page->right = opaque->btpo_next;

	/*
	 * All but the hole between the line pointers and the items.  memmove is
	 * the library's, made for this processor; memcpy would be compiled for
	 * any.
	 */
	memmove(page->copy.data, source, header->pd_lower);
	memmove(page->copy.data + header->pd_upper,
			(char *) source + header->pd_upper,
			BLCKSZ - header->pd_upper);

	if (page->keep_pin)
	{
		_bt_unlockbuf(page->index, buf);
		page->pin = buf;
	}
	else
		_bt_relbuf(page->index, buf);
}

/*
 * Copy the leaf page that a search from the root for key leads to.  False, with
 * no page, if the index is empty.
 *
 * An empty index has no page to lock against insertions, so the relation is
 * locked, and searched again: the first insertion may have come in between.
 */
bool
zz_btree_page_descend(ZigzagBtreePage *page, BTScanInsert key)
{
	Buffer		buf;

	zz_btree_page_release(page);
	page->ahead = InvalidBuffer;
	CHECK_FOR_INTERRUPTS();

	page->counters->descents++;
	pgstat_count_index_scan(page->index);
	zz_bt_search(page->index, key, &buf, page->snapshot);

	if (!BufferIsValid(buf))
	{
		PredicateLockRelation(page->index, page->snapshot);
		if (IsolationIsSerializable())
			zz_bt_search(page->index, key, &buf, page->snapshot);
		if (!BufferIsValid(buf))
			return false;
	}

	visit_leaf(page, buf);
	take_page(page, buf);

	return true;
}

/*
 * Go to the right sibling.  False, with the page as it was before, if there is
 * none; and, where unless_past is given, if that key lies past the sibling: it
 * is cheaper to descend then than to go on.
 */
bool
zz_btree_page_right(ZigzagBtreePage *page, BTScanInsert unless_past)
{
	BlockNumber blkno = page->right;

	mark_dead_items(page);
	while (blkno != P_NONE)
	{
		Buffer		buf;
		Page		sibling;
		BTPageOpaque opaque;

		/* Only effective without a lock, so none is held over to the next. */
		CHECK_FOR_INTERRUPTS();

		buf = get_leaf(page, blkno);
		sibling = BufferGetPage(buf);
		opaque = BTPageGetOpaque(sibling);

		if (!P_IGNORE(opaque))
		{
			visit_leaf(page, buf);
			if (unless_past != NULL && !P_RIGHTMOST(opaque) &&
				_bt_compare(page->index, unless_past, sibling, P_HIKEY) > 0)
			{
				_bt_relbuf(page->index, buf);
				return false;
			}
			if (BufferIsValid(page->pin))
				ReleaseBuffer(page->pin);
			page->pin = InvalidBuffer;
			take_page(page, buf);
			return true;
		}
		blkno = opaque->btpo_next;
		_bt_relbuf(page->index, buf);
	}

	return false;
}

/*
 * Lock the page whose right link is child, starting with the one that was its
 * left sibling.  InvalidBuffer: no page near there points to child any more.
 *
 * If the left sibling has been split, the page wanted is some steps to the
 * right of it.  If the left sibling has been deleted, its links are intact but
 * lead past the page wanted, so only a few steps are tried.
 */
static Buffer
find_left_neighbour(ZigzagBtreePage *page, BlockNumber left, BlockNumber child)
{
	Buffer		buf = get_leaf(page, left);

	for (int hops = 0;; hops++)
	{
		BTPageOpaque opaque = BTPageGetOpaque(BufferGetPage(buf));

		if (!P_ISDELETED(opaque) && opaque->btpo_next == child)
			return buf;
		if (P_RIGHTMOST(opaque) || hops == 4)
			break;
		buf = _bt_relandgetbuf(page->index, buf, opaque->btpo_next, BT_READ);
	}

	_bt_relbuf(page->index, buf);
	return InvalidBuffer;
}

/*
 * Where to look for the left sibling after find_left_neighbour has failed: the
 * page itself has changed.  Sets *child and *left to the present state.
 *
 * If the page was deleted, its keys now belong to the next live page on the
 * right, and the left sibling of that one is wanted.
 */
static void
relocate_page(ZigzagBtreePage *page, BlockNumber *left, BlockNumber *child)
{
	Buffer		buf = _bt_getbuf(page->index, *child, BT_READ);
	BTPageOpaque opaque = BTPageGetOpaque(BufferGetPage(buf));

	if (P_ISDELETED(opaque))
	{
		do
		{
			if (P_RIGHTMOST(opaque))
				elog(ERROR, "fell off the end of index \"%s\"",
					 RelationGetRelationName(page->index));
			buf = _bt_relandgetbuf(page->index, buf, opaque->btpo_next, BT_READ);
			opaque = BTPageGetOpaque(BufferGetPage(buf));
		} while (P_ISDELETED(opaque));
	}
	else if (opaque->btpo_prev == *left)
		ereport(ERROR,
				(errcode(ERRCODE_INDEX_CORRUPTED),
				 errmsg("could not find left sibling of block %u in index \"%s\"",
						*child, RelationGetRelationName(page->index))));

	*child = BufferGetBlockNumber(buf);
	*left = opaque->btpo_prev;
	_bt_relbuf(page->index, buf);
}

/*
 * Go to the left sibling.  False, with the page as it was before, if there is
 * none.
 *
 * Going left is harder than going right: splits move keys to the right, so the
 * page that was the left sibling may not be it any more.  The sibling is right
 * only if it is live and its right link leads back to us (Lanin and Shasha,
 * 1986, as nbtree does; a half-dead page is stepped over in the same way).
 */
bool
zz_btree_page_left(ZigzagBtreePage *page)
{
	BlockNumber child = page->blkno;
	BlockNumber left = page->left;

	mark_dead_items(page);
	while (left != P_NONE)
	{
		Buffer		buf;
		BTPageOpaque opaque;

		CHECK_FOR_INTERRUPTS();

		buf = find_left_neighbour(page, left, child);
		if (!BufferIsValid(buf))
		{
			relocate_page(page, &left, &child);
			continue;
		}

		opaque = BTPageGetOpaque(BufferGetPage(buf));
		if (!P_IGNORE(opaque))
		{
			visit_leaf(page, buf);
			if (BufferIsValid(page->pin))
				ReleaseBuffer(page->pin);
			page->pin = InvalidBuffer;
			take_page(page, buf);
			return true;
		}

		child = BufferGetBlockNumber(buf);
		left = opaque->btpo_prev;
		_bt_relbuf(page->index, buf);
	}

	return false;
}
