import type { Statements } from './dialects.ts';

/**
 * Totals of paid orders by day and by calendar period, so that the overview never reads all orders. The periodic work fills
 * them (`server/shop/sales/daily-totals.ts`).
 */
export const salesTables: Statements = ({ clustered }) => [
  `create table sales_by_day (
    -- Calendar days since 1970-01-01, in the shop's time zone.
    day bigint not null,
    currency text not null,
    orders bigint not null,
    revenue bigint not null,
    constraint sales_by_day_key primary key (day, currency)
  )`,
  `create table product_sales_by_day (
    day bigint not null,
    currency text not null,
    product_id text not null,
    product_name text not null,
    pieces bigint not null,
    revenue bigint not null,
    constraint product_sales_by_day_key primary key (day, currency, product_id)
  ) ${clustered}`,
  `create index product_sales_by_day_revenue on product_sales_by_day (day, currency, revenue)`,
  `create table product_sales_by_period (
    -- Such as '2026', '2026-11' or, for a week, the date of its Monday.
    period text not null,
    currency text not null,
    product_id text not null,
    product_name text not null,
    pieces bigint not null,
    revenue bigint not null,
    constraint product_sales_by_period_key primary key (period, currency, product_id)
  )`,
  `create index product_sales_by_period_revenue on product_sales_by_period (period, currency, revenue)`,
  `create table recent_product_sales (
    currency text not null,
    product_id text not null,
    product_name text not null,
    pieces bigint not null,
    revenue bigint not null,
    constraint recent_product_sales_key primary key (currency, product_id)
  )`,
  `create index recent_product_sales_revenue on recent_product_sales (currency, revenue)`,
];
