import fc, { type Arbitrary } from 'fast-check';

/** Markers of a successful injection: a script in a page, a header in a response. */
export const injectedScript = '<script>alert(4711)</script>';
export const injectedHeader = 'x-injected';

/** Well-known attack strings. None matches the leak patterns in `response-checks.ts`. */
const attacks = [
  ...["' or 1=1 --", "'; drop table orders; --", '1); delete from user; --', '%', '_', "\\' or 1=1 #"],
  ...["' || pg_sleep(9) || '", "admin@example.com'--", '" or ""="', '1 union all select null, null'],
  ...[
    '../../../../etc/passwd',
    '..\\..\\boot.ini',
    '....//....//',
    'file:///etc/passwd',
    'C:\\CON',
    '.',
    '..',
  ],
  ...[
    `a\r\n${injectedHeader}: 1`,
    `a\n${injectedHeader}: 1`,
    `a\r\n\r\n${injectedScript}`,
    'a\tb',
    '\u0085',
    '\u2028',
  ],
  ...['{{7*7}}', '$' + '{7*7}', '<%= 7*7 %>', '#{7*7}', '$&', '$$', "$'", '%s%n%x', '(?:)', '[[:<:]]'],
  ...[
    injectedScript,
    `</script>${injectedScript}`,
    `"><img src=x onerror=alert(4711)>`,
    'javascript:alert(4711)',
    '<!--',
  ],
  ...[
    `]]>${injectedScript}`,
    `'-alert(4711)-'`,
    '<svg/onload=alert(4711)>',
    '&lt;script&gt;',
    '\\u003cscript',
  ],
  ...[
    '\0',
    'a\0b',
    '\ud800',
    'a\udfff',
    '\ud800\ud800',
    '\ufeff',
    '\u202e',
    '\u200d',
    '\uffff',
    '\u{10ffff}',
  ],
  ...[
    'İSTANBUL@EXAMPLE.COM',
    'ß@example.com',
    'ﬁ@example.com',
    'a@b.c\u0000',
    'é'.normalize('NFD'),
    '👩‍👩‍👧',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'null',
    'undefined',
    'NaN',
    'true',
    '0',
    '-1',
  ],
  ...['0x10', '1e3', '1e999', '９', '١', '1_000', ' 1', '1.0', '99999999999999999999', '00000000-0000-7000'],
  ...['', ' ', '\t\r\n', '(((((((((((((((((((((((((((((((((', `${'a'.repeat(50)}!`, '@', 'a@', '@b.c', 'a@b'],
  ...['http://169.254.169.254/', '//elsewhere.example', 'https://elsewhere.example/a.png', '/images/x.webp'],
];

const longText = fc
  .tuple(
    fc.constantFrom('a', 'é', '👩', ' ', "'", '<', '%', '@', '.', 'a@', '(a'),
    fc.constantFrom(101, 301, 2001, 9000),
  )
  .map(([unit, times]) => unit.repeat(times));

/** Attack strings, random bytes and overlong text. */
export const hostileText: Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...attacks) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: longText },
);

const nestArrays = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

/** A value that is valid for no field, as JSON text; `JSON.stringify` cannot write some of them. */
export const unexpectedJson: Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    ...['null', 'true', 'false', '0', '-0', '-1', '0.1', '0.005', '1.005', '2.5', '1000001', '1000000'],
    ...['1e308', '1e400', '-1e400', '1e-400', '9007199254740993', '9'.repeat(400), `0.${'1'.repeat(400)}`],
    ...[
      '[]',
      '[1]',
      '["a"]',
      '{}',
      '[null]',
      '[[[]]]',
      nestArrays(19),
      nestArrays(21),
      nestArrays(3000),
      '{"$ne":null}',
    ],
    ...['{"__proto__":{"role":"admin"}}', '{"constructor":{"prototype":{"polluted":1}}}', '{"toString":1}'],
    ...['{"length":3}', '{"toJSON":1}', '{"then":1}', '{"valueOf":null}', '"\\ud800"', '"\\u0000"'],
  ),
  hostileText.map((text) => JSON.stringify(text)),
  fc.json({ maxDepth: 3 }),
);

/** A request body that is valid for no call. */
export const brokenBody: Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    ...['', ' ', 'null', 'true', '1', '"a"', '[]', '[{}]', '{', '}', '{}{}', '{"a":}', "{'a':1}", '{"a":1,}'],
    ...[
      '\ufeff{}',
      '\0',
      'NaN',
      '{"__proto__":null}',
      '<a/>',
      'a=1&b=2',
      nestArrays(40_000),
      '{"a":'.repeat(9000),
    ],
    ...[`{"a":"${'x'.repeat(99_000)}"}`, `{"a":"${'x'.repeat(101_000)}"}`, `{${'"a":1,'.repeat(9000)}"b":2}`],
  ),
  unexpectedJson,
);

/** An encoded part of a path or query, often malformed. */
export const rawUrlPart: Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    ...['%', '%2', '%00', '%ff', '%zz', '%ED%A0%80', '%c0%ae%c0%ae', '%2e%2e', '%2e%2e%2f', '..', '..;', '.'],
    ...[
      '%2f',
      '%5c',
      '\\',
      '//',
      '%0d%0a',
      `%0d%0a${injectedHeader}:%201`,
      '%E2%80%A8',
      '%25%32%66',
      ';a=b',
      '*',
    ],
    ...[':id', '{id}', '__proto__', '%u0041', '+', '~', '|', '^', '`', '"', '<', "'", '[', ']', '%F0%9F%98'],
  ),
  hostileText.map((text) => encodeURIComponent(text.toWellFormed())),
);
