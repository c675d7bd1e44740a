import {
  blanks,
  fractions,
  invisible,
  joiners,
  marks,
  minPhoneDigits,
  otherDigits,
  point,
  replacements,
  separators,
  sortedDigits,
} from '../search-text.ts';
import type { Statements } from './dialects.ts';

const toEscape = (code: number): string => `\\U${code.toString(16).padStart(8, '0')}`;
const toClass = (ranges: readonly (readonly [number, number])[]): string =>
  ranges.map(([first, last]) => `${toEscape(first)}-${toEscape(last)}`).join('');

/** Scripts with capitals: Latin, Greek, Cyrillic and Armenian. */
const cased = [
  [0xc0, 0x24f],
  [0x370, 0x52f],
  [0x531, 0x556],
  [0x1e9e, 0x1e9e],
] as const;

/** If the database's locale is C, `lower` does not convert these capitals. Accented ones have been decomposed before. */
const capitals = cased
  .flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, index) => first + index))
  .map((code) => String.fromCodePoint(code))
  .filter((letter) => letter.normalize('NFKD') === letter)
  .filter((letter) => letter.toLowerCase() !== letter && letter.toLowerCase().length === 1);

const [separator, decimal] = [toClass(separators), `'\\1${point}'`];
const letters = Object.entries(replacements);
const single = letters.filter(([, other]) => other.length === 1);
const several = letters.filter(([, other]) => other.length > 1);
const quotedJoiners = joiners.replaceAll("'", "''");

const create = (name: string, body: string, declaration = '') =>
  `create or replace function ${name}(input text) returns text language plpgsql immutable strict parallel safe as $$
    declare result text := input; ${declaration}
    begin ${body} end $$`;

/** SQLite calls `server/database/search-text.ts`. PostgreSQL cannot, so these functions do the same. */
export const textFunctions: Statements = ({ engine }) =>
  engine === 'sqlite'
    ? []
    : [
        create(
          'fold_text',
          `if result !~ '[^\\u0001-\\u007f]' then
            return lower(result);
          end if;
          result := normalize(translate(result, '${blanks}', '${' '.repeat(blanks.length)}'), NFKD);
          result := lower(regexp_replace(result, '[${toClass(invisible)}]+', '', 'g'));
          return translate(result, '${capitals.join('')}ς', '${capitals.map((letter) => letter.toLowerCase()).join('')}σ');`,
        ),
        create(
          'plain_text',
          `if result ~ '[^\\u0001-\\u007f]' then
            if result ~ '[0-9][ \\u00a0]?[${Object.keys(fractions).join('')}]' then
              ${Object.entries(fractions)
                .map(
                  ([fraction, decimals]) =>
                    `result := regexp_replace(result, '([0-9])[ \\u00a0]?${fraction}', '\\1.${decimals}', 'g');`,
                )
                .join('\n')}
            end if;
            result := regexp_replace(fold_text(result), '[${toClass(marks)}]+', '', 'g');
            ${several.map(([letter, other]) => `result := replace(result, '${letter}', '${other}');`).join('\n')}
            result := translate(result, '${single.map(([letter]) => letter).join('')}', '${single.map(([, other]) => other).join('')}');
          else
            result := lower(result);
          end if;
          if result ~ '[0-9]' then
            result := regexp_replace(result, '([0-9])[.,](?=[0-9])', ${decimal}, 'g');
          end if;
          return result;`,
        ),
        create(
          'split_plain',
          `result := replace(regexp_replace(result, '[${separator}]+', ' ', 'g'), '${point}', '.');
          if result ~ '[0-9]' then
            result := regexp_replace(result, '(?<![^ ])([0-9.]+)([a-z]{1,3})(?![^ ])', '\\1 \\2', 'g');
          end if;
          return regexp_replace(' ' || result || ' ', ' +', ' ', 'g');`,
        ),
        create('search_text', 'return split_plain(plain_text(result));'),
        create(
          'index_text',
          `result := plain_text(result);
          if result ~ '[${quotedJoiners}]' then
            select string_agg(replace(word, '${point}', '.') || ' ', '' order by number) into compounds from (
              select translate(part[1], '${quotedJoiners}', '') as word, number
              from regexp_matches(result, '(?<![^${separator}])([^${separator}]+(?:[${quotedJoiners}][^${separator}]+)+)', 'g')
                with ordinality as found(part, number)
            ) as compound
            where word ~ '[^0-9${point}]';
          end if;
          return split_plain(result) || coalesce(compounds, '');`,
          'compounds text;',
        ),
        create(
          'phone_key',
          `result := reverse(regexp_replace(translate(result, '${otherDigits}', '${'0123456789'.repeat(otherDigits.length / 10)}'), '[^0-9]+', '', 'g'));
          return case when length(result) < ${minPhoneDigits} then '' else '+' || result end;`,
        ),
        create(
          'to_name_key',
          `result := btrim(search_text(result), ' ');
          if result ~ '[0-9]' then
            result := regexp_replace(result, '(?<![0-9.])([0-9]+)', '${'0'.repeat(sortedDigits - 1)}\\1', 'g');
            result := regexp_replace(result, '(?<![0-9.])0*([0-9]{${sortedDigits},})', '\\1', 'g');
          end if;
          return result;`,
        ),
        create(
          'to_category_key',
          `return btrim(regexp_replace(fold_text(result), '[\\u0009-\\u000d \\u1680\\u2028\\u2029]+', ' ', 'g'), ' ');`,
        ),
      ];
