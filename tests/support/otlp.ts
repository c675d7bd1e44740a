type Value = string | number | boolean | undefined;
type Attributes = Record<string, Value>;
export type Span = {
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  start: bigint;
  end: bigint;
  attributes: Attributes;
  /** 2 means error. */
  status: number;
};

/**
 * Decodes an OTLP trace export (https://github.com/open-telemetry/opentelemetry-proto, `trace.proto`). The numbers are
 * those of its fields.
 */
export function readTraces(body: Buffer): { resources: Attributes[]; spans: Span[] } {
  const groups = inner(fieldsOf(body), 1);
  const spans = groups.flatMap((group) => inner(group, 2)).flatMap((scope) => inner(scope, 2));
  return {
    resources: groups.flatMap((group) => inner(group, 1)).map((resource) => attributesOf(resource, 1)),
    spans: spans.map((span) => ({
      name: text(span, 5),
      kind: number(span, 6),
      traceId: bytes(span, 1).toString('hex'),
      spanId: bytes(span, 2).toString('hex'),
      parentSpanId: bytes(span, 4).toString('hex'),
      start: bytes(span, 7).readBigUInt64LE(),
      end: bytes(span, 8).readBigUInt64LE(),
      attributes: attributesOf(span, 9),
      status: number(inner(span, 15)[0] ?? [], 3),
    })),
  };
}

type Field = [number: number, value: Buffer | number];

/** Decodes the fields of a Protobuf message (https://protobuf.dev/programming-guides/encoding/). */
function fieldsOf(message: Buffer): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const take = (length: number) => {
    at += length;
    return message.subarray(at - length, at);
  };
  const varint = (): number => {
    const byte = message.readUInt8(at);
    at += 1;
    return byte < 128 ? byte : byte - 128 + 128 * varint();
  };
  while (at < message.length) {
    const tag = varint();
    const type = tag % 8;
    const value = type === 0 ? varint() : take(type === 1 ? 8 : type === 5 ? 4 : varint());
    fields.push([Math.floor(tag / 8), value]);
  }
  return fields;
}

const all = (fields: Field[], wanted: number) =>
  fields.filter(([number]) => number === wanted).map(([, value]) => value);
const inner = (fields: Field[], wanted: number) =>
  all(fields, wanted).map((value) => fieldsOf(Buffer.isBuffer(value) ? value : Buffer.alloc(0)));
const number = (fields: Field[], wanted: number) => Number(all(fields, wanted)[0] ?? 0);
const bytes = (fields: Field[], wanted: number) => {
  const [value] = all(fields, wanted);
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0);
};
const text = (fields: Field[], wanted: number) => bytes(fields, wanted).toString();

function attributesOf(fields: Field[], wanted: number): Attributes {
  return Object.fromEntries(
    inner(fields, wanted).map((pair) => {
      const [kind, value] = inner(pair, 2)[0]?.[0] ?? [];
      const read = kind === 2 ? value === 1 : Buffer.isBuffer(value) ? value.toString() : value;
      return [text(pair, 1), read];
    }),
  );
}
