import * as deskRules from './desk-rules.ts';
import * as refundRules from './refund-rules.ts';
import * as syncs from './refund-syncs.ts';
import type { Action, Outcome, PerformedAction, State, Step } from './rules.ts';
import * as rules from './rules.ts';

/** Steps in their order. Steps of other threads may come in between. */
type Thread = Step[];

/**
 * Searches for an interleaving of concurrent actions that explains their outcomes and leads to a state that `matches`
 * the shop's. Returns that state, or undefined if no interleaving explains what the shop did. To save time, the search does not
 * continue from a state for which `mayLead` is false.
 */
export function findExplanation(
  before: State,
  performed: PerformedAction[],
  matches: (state: State) => boolean,
  mayLead: (state: State) => boolean,
): State | undefined {
  const touched = new Set(performed.flatMap(({ action }) => listTouchedPurchases(action, before)));
  const threads = performed.flatMap(({ action, outcome }, index) =>
    listThreads(action, outcome, before, touched, `${index}`),
  );
  const visited = new Set<string>();

  function search(state: State, at: number[]): State | undefined {
    if (at.every((step, index) => step === threads[index]?.length)) return matches(state) ? state : undefined;
    const key = JSON.stringify([at, state]);
    if (visited.has(key)) return undefined;
    visited.add(key);
    if (!mayLead(state)) return undefined;
    for (const [index, thread] of threads.entries()) {
      const next = thread[at[index] ?? 0]?.(state);
      const found = next && search(next, at.with(index, (at[index] ?? 0) + 1));
      if (found) return found;
    }
    return undefined;
  }
  return search(
    before,
    threads.map(() => 0),
  );
}

function listThreads(
  action: Action,
  outcome: Outcome,
  before: State,
  touched: Set<string>,
  key: string,
): Thread[] {
  const readVersion = () => refundRules.readVersion(listTouchedPurchases(action, before)[0] ?? '', key);
  switch (action.type) {
    case 'order':
      return [[rules.placeOrder(action, outcome)]];
    case 'order several':
      return [[rules.placePurchase(action, outcome)]];
    case 'open':
      return [[rules.openPayment(action, outcome)]];
    case 'confirm':
      return [[rules.confirmIntent(action, outcome)]];
    case 'report paid':
      return [[rules.reportPaid(action, outcome)]];
    case 'event': {
      const [purchase] = rules.findPurchase(before, action.intent) ?? [];
      const settle = rules.settlePayment(action.intent);
      return [action.about === 'refund' && purchase ? [settle, ...syncRefunds(purchase, key)] : [settle]];
    }
    case 'delete':
      return [[rules.cancelPayment(action.order), rules.deleteOrder(action.order, outcome)]];
    case 'end hold':
      return [[rules.endHold(action.purchase)]];
    case 'ship':
      return [[rules.shipOrder(action, outcome)]];
    case 'ship pieces':
      return [[readVersion(), rules.shipPieces(action, outcome, key)]];
    case 'readdress':
      return [[readVersion(), rules.readdress(action, outcome, key)]];
    case 'take back':
      return [[rules.takeBack(action, outcome)]];
    case 'refund':
    case 'refund all':
    case 'refund again': {
      const reserve = refundRules.reserveRefund(action, outcome, key);
      // A rejected request does not reach the provider.
      if (!outcome.ok && !outcome.refused) return [[readVersion(), reserve]];
      return [
        [
          readVersion(),
          reserve,
          refundRules.sendRefund(action, outcome),
          refundRules.undoRefund(action),
          ...syncRefunds(refundRules.getPurchaseId(before, action), key),
        ],
      ];
    }
    case 'settle':
      return [[deskRules.settleRefund(action, outcome)]];
    case 'assign':
      return [[readVersion(), deskRules.assignRefund(action, outcome, key)]];
    case 'return':
      return [[readVersion(), deskRules.recordReturn(action, outcome, key)]];
    case 'fail refund':
      return [[refundRules.failRefund(action)]];
    case 'decide dispute':
      return [[deskRules.decideDispute(action, outcome)]];
    case 'refund at provider':
      return [[refundRules.refundAtProvider(action, outcome)]];
    case 'promote':
      return [[rules.setRole(action.person, true, outcome)]];
    case 'demote':
      return [[rules.setRole(action.person, false, outcome)]];
    case 'delete product':
      return [[rules.deleteProduct(action.product, outcome)]];
    case 'periodic work':
      return Object.keys(before.purchases).flatMap((id) =>
        reconcile(before, id, touched.has(id), `${key} ${id}`),
      );
  }
}

/** The periodic work on one purchase. Steps that change nothing in any interleaving are left out, or the search would not end. */
function reconcile(before: State, id: string, isTouched: boolean, key: string): Thread[] {
  const { overdue, intent, refunds, dispute } = rules.getPurchase(before, id);
  const statuses = rules.listOrders(before, id).map(([, { status }]) => status);
  const isUnpaid = statuses.includes('');
  if (!isUnpaid && !statuses.some((status) => status === 'paid' || status === 'sipping')) return [];
  const isSettled = isUnpaid && intent !== undefined && (isTouched || before.intents[intent] === 'paid');
  const steps: Thread = [
    ...(isSettled ? [rules.settlePayment(intent)] : []),
    ...(isTouched || refunds.some(syncs.isUnsynced) ? syncUnsynced(id, key) : []),
    ...(isTouched || dispute?.status !== dispute?.known ? syncDispute(id, key) : []),
  ];
  const mayExpire = isUnpaid && (isTouched || overdue);
  const expiry: Thread = [rules.cancelOverduePayment(id), rules.expirePurchase(id)];
  return [...(steps.length > 0 ? [steps] : []), ...(mayExpire ? [expiry] : [])];
}

const syncRefunds = (purchase: string, key: string): Thread => [
  syncs.readRefunds(purchase, key),
  syncs.recordRefunds(purchase, key),
];

const syncUnsynced = (purchase: string, key: string): Thread => [
  syncs.markUnsynced(purchase, key),
  syncs.readMarked(purchase, key),
  syncs.recordRefunds(purchase, key),
];

const syncDispute = (purchase: string, key: string): Thread => [
  syncs.readDispute(purchase, key),
  syncs.recordDispute(purchase, key),
];

/** Purchases that an action may change. */
function listTouchedPurchases(action: Action, { orders, purchases }: State): string[] {
  if ('purchase' in action) return [action.purchase];
  if ('order' in action) return [orders[action.order]?.purchase ?? ''];
  if (!('intent' in action)) return [];
  return Object.keys(purchases).filter((id) => purchases[id]?.intent === action.intent);
}
