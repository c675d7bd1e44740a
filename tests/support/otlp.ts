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
  const groups = readMessages(decodeFields(body), 1);
  const spans = groups.flatMap((group) => readMessages(group, 2)).flatMap((scope) => readMessages(scope, 2));
  return {
    resources: groups
      .flatMap((group) => readMessages(group, 1))
      .map((resource) => readAttributes(resource, 1)),
    spans: spans.map((span) => ({
      name: readText(span, 5),
      kind: readNumber(span, 6),
      traceId: readBytes(span, 1).toString('hex'),
      spanId: readBytes(span, 2).toString('hex'),
      parentSpanId: readBytes(span, 4).toString('hex'),
      start: readBytes(span, 7).readBigUInt64LE(),
      end: readBytes(span, 8).readBigUInt64LE(),
      attributes: readAttributes(span, 9),
      status: readNumber(readMessages(span, 15)[0] ?? [], 3),
    })),
  };
}

type Field = [number: number, value: Buffer | number];

/** Decodes the fields of a Protobuf message (https://protobuf.dev/programming-guides/encoding/). */
function decodeFields(message: Buffer): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const take = (length: number) => {
    at += length;
    return message.subarray(at - length, at);
  };
  const readVarint = (): number => {
    const byte = message.readUInt8(at);
    at += 1;
    return byte < 128 ? byte : byte - 128 + 128 * readVarint();
  };
  while (at < message.length) {
    const tag = readVarint();
    const type = tag % 8;
    const value = type === 0 ? readVarint() : take(type === 1 ? 8 : type === 5 ? 4 : readVarint());
    fields.push([Math.floor(tag / 8), value]);
  }
  return fields;
}

const readValues = (fields: Field[], fieldNumber: number) =>
  fields.filter(([number]) => number === fieldNumber).map(([, value]) => value);
const readMessages = (fields: Field[], fieldNumber: number) =>
  readValues(fields, fieldNumber).map((value) =>
    decodeFields(Buffer.isBuffer(value) ? value : Buffer.alloc(0)),
  );
const readNumber = (fields: Field[], fieldNumber: number) => Number(readValues(fields, fieldNumber)[0] ?? 0);
const readBytes = (fields: Field[], fieldNumber: number) => {
  const [value] = readValues(fields, fieldNumber);
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0);
};
const readText = (fields: Field[], fieldNumber: number) => readBytes(fields, fieldNumber).toString();

function readAttributes(fields: Field[], fieldNumber: number): Attributes {
  return Object.fromEntries(
    readMessages(fields, fieldNumber).map((pair) => {
      const [kind, value] = readMessages(pair, 2)[0]?.[0] ?? [];
      const read = kind === 2 ? value === 1 : Buffer.isBuffer(value) ? value.toString() : value;
      return [readText(pair, 1), read];
    }),
  );
}
