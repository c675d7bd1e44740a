import { simpleParser } from 'mailparser';
import { expect, test } from 'vitest';
import type { MailKind } from '../../../contract/mail.ts';
import { sendMailSamples } from '../../../tests/support/mail-samples.ts';
import { startShop } from '../../../tests/support/shop.ts';

const kindsWithPicture: MailKind[] = [
  'order placed',
  'hold ending',
  'order expired',
  'order deleted',
  'order paid',
  'order shipped',
  'tracking added',
  'tracking corrected',
  'order refunded',
  'back in stock',
  'new order',
];
/** Of a fixed size, and at an address that does not say whose message it is. */
const ownPicture =
  / src="https:\/\/shop\.example\/images\/[0-9a-f]{64}-240\.webp" alt="" width="64" height="48" /;

test('every kind of message is well-formed, reads well as text, and loads nothing but the shop’s own pictures', async () => {
  await using shop = await startShop({
    settings: {
      PUBLIC_URL: 'https://shop.example',
      SHOP_NAME: 'Zürich Clock Tools',
      SHOP_ADDRESS: '1 Dial Lane\\nPrescot',
      SHOP_TAX_ID: 'VAT 1',
      CONTACT_EMAIL: 'owner@mail.example',
    },
  });
  await shop.listen();
  for (const { kind, raw, recipients } of await sendMailSamples(shop)) {
    const lines = raw.split('\r\n');
    // RFC 5322, 2.1.1 and 2.3; 8-bit characters would need an extension.
    expect([kind, lines.filter((line) => line.length > 78 || !/^[\t\x20-\x7e]*$/.test(line))]).toEqual([
      kind,
      [],
    ]);
    const letter = await simpleParser(raw);
    const headers = [...letter.headers.keys()];
    for (const name of ['from', 'to', 'subject', 'date', 'message-id', 'mime-version', 'auto-submitted'])
      expect([kind, name, headers.filter((header) => header === name).length]).toEqual([kind, name, 1]);
    const answered = kind === 'contact message' ? 'ines@mail.example' : 'owner@mail.example';
    expect([kind, letter.replyTo?.text]).toEqual([kind, answered]);
    expect([kind, letter.attachments]).toEqual([kind, []]);
    expect(letter.to).toMatchObject({ text: recipients });
    expect([kind, letter.headers.get('content-type')]).toMatchObject([
      kind,
      { value: 'multipart/alternative' },
    ]);

    const { text = '', html = '' } = letter;
    expect([kind, text]).toEqual([kind, expect.stringContaining('\n-- \nZürich Clock Tools\n1 Dial Lane')]);
    // Without the links, whose random tokens may contain any letters.
    const written = text.replaceAll(/\w+:\/\/\S+/g, 'link');
    expect([kind, /undefined|null|NaN|\[object|\n{4}|[ \t]\n(?<!\n-- \n)/.exec(written)]).toEqual([
      kind,
      null,
    ]);
    if (html === false) return expect.unreachable();
    // Mail programs ignore or remove these.
    expect([
      kind,
      /<(script|link|iframe|object|form|input|svg|video)\b|@import|url\(|\son\w+=|flex|grid|position|float|var\(/i.exec(
        html,
      ),
    ]).toEqual([kind, null]);
    const images = [...html.matchAll(/<img [^>]*>/g)].map(([image]) => image);
    expect([kind, images.length]).toEqual([kind, kindsWithPicture.includes(kind) ? 1 : 0]);
    for (const image of images) expect([kind, image]).toEqual([kind, expect.stringMatching(ownPicture)]);
    // Links lead to the shop, or to the carrier, and carry no identifiers of the message.
    const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href);
    expect([
      kind,
      links.filter(
        (href) => !/^https:\/\/www\.ups\.com\//.test(href ?? '') && !href?.startsWith(`${shop.origin}`),
      ),
    ]).toEqual([kind, []]);
    expect([kind, links.some((href) => href?.includes('sample-'))]).toEqual([kind, false]);
    // The text has the same links.
    for (const href of links)
      expect([kind, text]).toEqual([
        kind,
        expect.stringContaining((href ?? '').replaceAll('&amp;', '&').replace(/\/$/, '')),
      ]);
  }
});

test('times in messages are in the shop’s time zone', async () => {
  await using shop = await startShop({ settings: { TIME_ZONE: 'Asia/Kolkata' } });
  await shop.listen();
  const kinds = new Map<string, string>();
  for (const { kind, raw } of await sendMailSamples(shop)) {
    const { text = '' } = await simpleParser(raw);
    const [, zone] = /\d\d \w{3} 20\d\d,\s\d\d:\d\d\s(UTC[+\d:]*)/.exec(text) ?? [];
    if (zone) kinds.set(kind, zone);
  }
  expect(new Set(kinds.values())).toEqual(new Set(['UTC+5:30']));
  expect([...kinds.keys()]).toEqual(
    expect.arrayContaining(['order placed', 'order paid', 'password changed']),
  );
});

test('user input becomes neither headers nor links nor HTML in any kind of message', async () => {
  await using shop = await startShop();
  await shop.listen();
  const typed = 'Visit http://evil.example or www.evil.example <img src=//evil.example/x><script>1</script>';
  const samples = await sendMailSamples(shop, {
    person: typed,
    address: `${typed}\r\nBcc: eve@evil.example\r\n\r\n-- \n.\n`,
    phone: typed,
    product: 'Gauge <b>x</b>\r\nBcc: eve',
    message: `${typed}\r\n.\r\nMAIL FROM:<eve@evil.example>\r\n\r\n-- \r\nYour shop`,
  });
  for (const { kind, raw, recipients } of samples) {
    const { headers, text = '', html = '' } = await simpleParser(raw);
    expect([kind, headers.has('bcc'), recipients.includes('evil')]).toEqual([kind, false, false]);
    expect([kind, /href="[^"]*evil|<(img|script|b)\b/.exec(html || '')]).toEqual([kind, null]);
    // Mail programs turn web addresses in text into links. In a quote from the contact form, the shopkeeper expects them.
    if (kind !== 'contact message')
      expect([kind, /:\/\/evil|evil\.example/.exec(text)]).toEqual([kind, null]);
  }
});
