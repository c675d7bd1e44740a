import { expect, test } from 'vitest';
import { findFile, readBody, readBoundary } from './request.ts';

const type = 'multipart/form-data; boundary=xx';

function part(headers: string, content: string): string {
  return `--xx\r\n${headers}\r\n\r\n${content}\r\n`;
}

function find(body: string): string | undefined {
  const file = findFile(Buffer.from(body, 'latin1'), type, 'image');
  return file && Buffer.from(file).toString('latin1');
}

const image = 'Content-Disposition: form-data; name="image"; filename="a.jpg"';
const text = 'Content-Disposition: form-data; name="note"';

test('the file is found among other fields, byte for byte', () => {
  const content = '\x00\xff\r\n--x\r\n\r\n--yy\r\n';
  expect(
    find(`${part(text, 'hello')}${part(`${image}\r\nContent-Type: image/jpeg`, content)}--xx--\r\n`),
  ).toBe(content);
  expect(
    find(`${part(text, '')}${part('content-disposition:form-data;filename=a;name=image', 'b')}--xx--`),
  ).toBe('b');
  expect(find(`preamble\r\n${part(image, '')}--xx--`)).toBe('');
});

test('the body of a real FormData is parsed', async () => {
  const form = new FormData();
  form.set('name', 'Ünïcode "quoted"; name=image');
  form.set('image', new File([new Uint8Array([1, 2, 3])], 'ä "; name="x.jpg'));
  const request = new Request('http://localhost/', { method: 'POST', body: form });
  const contentType = request.headers.get('content-type') ?? '';
  const body = Buffer.from(await request.arrayBuffer());
  expect(findFile(body, contentType, 'image')).toEqual(Buffer.from([1, 2, 3]));
});

test('no file is found in a text field, another field, a truncated body or an empty body', () => {
  expect(find(`${part('Content-Disposition: form-data; name="image"', 'text')}--xx--`)).toBeUndefined();
  expect(find(`${part(image.replace('image', 'picture'), 'a')}--xx--`)).toBeUndefined();
  expect(find(`--xx\r\n${image}\r\n\r\nabc`)).toBeUndefined();
  expect(find(`--xx\r\n${image}`)).toBeUndefined();
  expect(find('')).toBeUndefined();
});

test('parsing gives up quickly on a body with very many parts or endless headers', () => {
  const bodies = [
    part(text, '').repeat(180_000) + part(image, 'a'),
    part(`${'x: y\r\n'.repeat(1_000_000)}${image}`, 'a'),
  ];
  // The fastest of five runs, because the machine may be busy.
  const took = Array.from({ length: 5 }, () => {
    const start = performance.now();
    expect(bodies.map(find)).toEqual([undefined, undefined]);
    return performance.now() - start;
  });
  expect(Math.min(...took)).toBeLessThan(500);
});

test('the boundary is read from the content type, quoted or not', () => {
  expect(readBoundary('multipart/form-data; boundary=abc')).toBe('abc');
  expect(readBoundary('Multipart/Form-Data;charset=utf-8; Boundary="a b"')).toBe('a b');
  expect(readBoundary('multipart/form-data')).toBeUndefined();
  expect(readBoundary('multipart/mixed; boundary=abc')).toBeUndefined();
  expect(readBoundary('application/json')).toBeUndefined();
});

test('a body in many one-byte chunks is read in their order', async () => {
  const bytes = Buffer.from(Array.from({ length: 5000 }, (_, index) => index % 251));
  let sent = 0;
  const body = new ReadableStream({
    pull(controller) {
      if (sent === bytes.length) controller.close();
      else controller.enqueue(bytes.subarray(sent, ++sent));
    },
  });
  const init: RequestInit & { duplex: 'half' } = { method: 'POST', body, duplex: 'half' };
  expect(await readBody(new Request('http://localhost/', init), 10_000)).toEqual(bytes);
});

test('a body over the limit in one-byte chunks is drained for at most 40,000 chunks', async () => {
  let sent = 0;
  const body = new ReadableStream({
    pull(controller) {
      sent += 1;
      controller.enqueue(new Uint8Array(1));
    },
  });
  const init: RequestInit & { duplex: 'half' } = { method: 'POST', body, duplex: 'half' };
  const request = new Request('http://localhost/', init);
  await expect(readBody(request, 1000)).rejects.toMatchObject({ code: 'too_large' });
  expect(sent).toBeLessThan(41_000);
});
