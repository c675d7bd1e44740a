/** The time of a UUIDv7. */
export const readIdTime = (id: string): number => Number.parseInt(id.replace('-', '').slice(0, 12), 16);

/** The lowest UUIDv7 with this time (RFC 9562, 5.7). */
export function firstIdAt(time: number): string {
  const hex = Math.max(time, 0).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
