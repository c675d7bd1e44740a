import type { CompiledQuery } from 'kysely';
import type { DatabaseObserver } from '../../database/driver.ts';
import type { Metrics, StatementKind } from './metrics.ts';

/** Counts statements and transactions, then passes them on to `next`. */
export function countStatements(metrics: Metrics, next: DatabaseObserver | undefined): DatabaseObserver {
  return {
    onQuery(ended) {
      metrics.observeStatement(kindOf(ended.query), (ended.ended - ended.began) / 1000);
      if (ended.error !== undefined) metrics.countFailedStatement();
      next?.onQuery(ended);
    },
    wrapTransaction(work) {
      metrics.countTransaction();
      return next ? next.wrapTransaction(work) : work;
    },
  };
}

function kindOf({ query, sql }: CompiledQuery): StatementKind {
  switch (query.kind) {
    case 'SelectQueryNode':
      return 'read';
    case 'InsertQueryNode':
    case 'UpdateQueryNode':
    case 'DeleteQueryNode':
    case 'MergeQueryNode':
      return 'write';
    default:
      return sql === 'commit' ? 'commit' : 'other';
  }
}
