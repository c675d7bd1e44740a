import type { Engine } from '../schema.ts';
import type { Statements } from './dialects.ts';

/** Products with their images and stock, baskets, and uploaded images. */
export const catalogueTables: Statements = ({ engine, bytes, byteText, clustered }) => [
  `create table product (
    id text primary key,
    name text not null,
    price bigint not null check (price > 0),
    image text not null,
    description text not null,
    minimum bigint not null check (minimum > 0),
    -- The last line of defense: whatever the code does, the stock never goes below zero.
    available bigint not null check (available >= 0),
    user_id text,
    created_at bigint not null,
    version bigint not null default 1,
    category text,
    low_stock bigint,
    archived_at bigint,
    stock_seq bigint not null default 0,
    rating_count bigint not null default 0,
    rating_sum bigint not null default 0,
    -- Maintained by triggers: sort keys. Categories that look the same have the same key.
    name_key ${byteText} not null default '',
    category_key ${byteText}
  )`,
  `create index product_image on product (image)`,
  `create index product_current on product (id) where archived_at is null`,
  `create index product_archived on product (id) where archived_at is not null`,
  `create index product_price on product (price, id)`,
  `create index product_name on product (name_key, id)`,
  `create index product_available on product (available, id)`,
  `create index product_category on product (category_key, id) where category_key is not null`,
  `create index product_sold_out on product (available, id) where archived_at is null and available < minimum`,
  `create index product_archived_name on product (name_key, id) where archived_at is not null`,
  `create index product_archived_price on product (price, id) where archived_at is not null`,
  `create index product_archived_available on product (available, id) where archived_at is not null`,
  `create index product_user on product (user_id, id) where user_id is not null`,
  `create index product_rating on product (((rating_sum + 15) * 1000 / (rating_count + 5)), id)`,
  `create index product_category_price on product (category_key, price, id) where archived_at is null`,
  `create index product_category_name on product (category_key, name_key, id) where archived_at is null`,
  // The condition has a `case` instead of an `or`. From `a or b`, SQLite would infer that this index contains every row with `a`,
  // and would also read it for the sold-out products.
  `create index product_low_stock on product (available, id) where archived_at is null and available < case when low_stock > minimum then low_stock else minimum end`,
  // The images after the first. They have their own table, because the search for unused images looks up their URLs.
  `create table further_image (
    product_id text not null references product (id) on delete cascade,
    position bigint not null check (position between 1 and 7),
    url text not null,
    constraint further_image_key primary key (product_id, position)
  )`,
  `create index further_image_url on further_image (url)`,
  // Every sale writes a row, so the table has only two B-trees.
  `create table stock_change (
    id text primary key,
    product_id text not null,
    seq bigint not null,
    change bigint not null,
    level bigint not null,
    reason text not null,
    note text not null,
    actor_id text,
    actor text not null,
    order_id text,
    created_at bigint not null,
    constraint stock_change_product unique (product_id, seq)
  ) ${clustered}`,
  // Most rows are sales. They need no index, because there is always a sale among the newest rows.
  `create index stock_change_reason on stock_change (reason, id) where reason <> 'sale'`,
  // No foreign key to the product, because deleting a product with a hundred thousand requests would take long. The periodic work
  // deletes the product's requests instead. `stop_token` is in the link that ends all requests of a user.
  `create table back_in_stock (
    user_id text not null references "user" (id) on delete cascade,
    product_id text not null,
    requested_at bigint not null,
    stop_token text not null,
    constraint back_in_stock_key primary key (user_id, product_id)
  )`,
  `create index back_in_stock_product on back_in_stock (product_id, requested_at, user_id)`,
  `create index back_in_stock_token on back_in_stock (stop_token)`,
  // No foreign key to the product: the basket still shows a deleted product.
  `create table basket (
    id text primary key,
    user_id text unique references "user" (id),
    token_hash text unique,
    created_at bigint not null
  )`,
  `create table basket_line (
    basket_id text not null references basket (id) on delete cascade,
    product_id text not null,
    product_name text not null,
    quantity bigint not null check (quantity > 0),
    added_at bigint not null,
    constraint basket_line_key primary key (basket_id, product_id)
  )`,
  `create table image (
    id text primary key,
    hash text not null,
    width bigint not null,
    type text not null,
    bytes ${bytes} not null,
    user_id text,
    created_at bigint not null
  )`,
  `create index image_hash on image (hash)`,
  `create index image_user on image (user_id, id) where user_id is not null`,
  ...keyTriggers[engine],
];

const setKeys = `update product set name_key = to_name_key(new.name),
  category_key = case when new.category <> '' then to_category_key(new.category) end
  where id = new.id;`;

const keyTriggers: Record<Engine, string[]> = {
  sqlite: [
    `create trigger product_keys_added after insert on product begin ${setKeys} end`,
    `create trigger product_keys_changed after update of name, category on product
      when new.name <> old.name or new.category is not old.category begin ${setKeys} end`,
  ],
  postgres: [
    `create or replace function product_keys() returns trigger language plpgsql as $$ begin
      new.name_key := to_name_key(new.name);
      new.category_key := to_category_key(nullif(new.category, ''));
      return new;
    end $$`,
    `create trigger product_keys before insert or update of name, category on product
      for each row execute function product_keys()`,
  ],
};
