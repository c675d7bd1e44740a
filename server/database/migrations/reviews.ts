import type { Engine } from '../schema.ts';
import type { Statements } from './dialects.ts';

/** Reviews and reports of reviews. Triggers count the visible reviews of each product. */
export const reviewTables: Statements = ({ engine }) => [
  `create table review (
    id text primary key,
    user_id text references "user" (id),
    name text not null,
    rating bigint not null check (rating between 1 and 5),
    text text not null,
    image text not null,
    created_at bigint not null,
    state text not null default 'visible',
    hidden_reason text not null default '',
    version bigint not null default 1,
    answer text not null default '',
    answered_at bigint,
    -- No foreign key: a review outlives its product.
    product_id text,
    product_name text
  )`,
  `create index review_image on review (image)`,
  `create index review_state on review (state, id)`,
  `create index review_user on review (user_id, id)`,
  `create unique index review_author on review (product_id, user_id) where product_id is not null and user_id is not null`,
  `create index review_newest on review (product_id, id) where state = 'visible' and product_id is not null`,
  `create index review_best on review (product_id, rating, id) where state = 'visible' and product_id is not null`,
  `create index review_worst on review (product_id, (0 - rating), id) where state = 'visible' and product_id is not null`,
  `create table review_report (
    review_id text not null references review (id) on delete cascade,
    user_id text not null references "user" (id) on delete cascade,
    reason text not null,
    created_at bigint not null,
    constraint review_report_key primary key (review_id, user_id)
  )`,
  `create index review_report_user on review_report (user_id, review_id)`,
  ...ratingTriggers[engine],
];

/** Adds a visible review to the rating of its product, or subtracts it. A deleted product has no rating. */
const count = (row: 'new' | 'old') => {
  const sign = row === 'new' ? '+' : '-';
  return `update product set rating_count = rating_count ${sign} 1, rating_sum = rating_sum ${sign} ${row}.rating
    where id = ${row}.product_id and ${row}.state = 'visible';`;
};

const ratingTriggers: Record<Engine, string[]> = {
  sqlite: [
    `create trigger review_rating_added after insert on review begin ${count('new')} end`,
    `create trigger review_rating_changed after update of product_id, rating, state on review begin
      ${count('old')} ${count('new')}
    end`,
    `create trigger review_rating_removed after delete on review begin ${count('old')} end`,
  ],
  postgres: [
    `create or replace function review_rating() returns trigger language plpgsql as $$ begin
      if tg_op <> 'INSERT' then ${count('old')} end if;
      if tg_op <> 'DELETE' then ${count('new')} end if;
      return null;
    end $$`,
    `create trigger review_rating after insert or delete or update of product_id, rating, state on review
      for each row execute function review_rating()`,
  ],
};
