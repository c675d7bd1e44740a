import { expect, test } from 'vitest';
import { toMailbox } from './mailbox.ts';

test('variants of an address have the same mailbox', () => {
  const variants = ['tom@mail.example', 'TOM@Mail.Example', 'tom+1@mail.example', 'tom+a+b@mail.example'];
  const hostile = [
    'tom@mail.example>',
    'to\u200Bm@mail.example',
    'ｔom@ｍail.example',
    '"tom"@mail.example.',
  ];
  for (const email of [...variants, ...hostile]) expect(toMailbox(email)).toBe('tom@mail.example');
});

test('Gmail ignores dots and has two domains', () => {
  for (const email of ['tom.graham@gmail.com', 'tomgraham+1@gmail.com', 't.o.mgraham@googlemail.com'])
    expect(toMailbox(email)).toBe('tomgraham@gmail.com');
  expect(toMailbox('tom.graham@mail.example')).toBe('tom.graham@mail.example');
});

test('an international domain is in Punycode', () => {
  const mailbox = 'tom@xn--mnchen-3ya.example';
  for (const email of ['tom@MÜNCHEN.example', 'tom@mu\u0308nchen.example', 'tom+1@xn--mnchen-3ya.example'])
    expect(toMailbox(email)).toBe(mailbox);
});

test('different addresses have different mailboxes', () => {
  const others = ['+1@mail.example', '+2@mail.example', 'tom@other.example', 'tom', 'ann@mail.example'];
  expect(new Set(others.map(toMailbox)).size).toBe(others.length);
});
