import type { CompiledQuery } from 'kysely';
import type { DatabaseObserver } from '../../database/connect.ts';
import type { Metrics, StatementKind } from './metrics.ts';

/** Counts statements and transactions, then calls `next`. */
export function countStatements(metrics: Metrics, next: DatabaseObserver | undefined): DatabaseObserver {
  return {
    onQuery(finished) {
      const { query, began, ended, error } = finished;
      metrics.observeStatement(classify(query), (ended - began) / 1000);
      if (error !== undefined) metrics.countFailedStatement();
      next?.onQuery(finished);
    },
    wrapTransaction(work) {
      metrics.countTransaction();
      return next ? next.wrapTransaction(work) : work;
    },
  };
}

function classify({ query, sql }: CompiledQuery): StatementKind {
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
