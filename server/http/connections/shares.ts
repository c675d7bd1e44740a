/**
 * Shares a limited resource between network addresses. An address's share shrinks as the resource is used up: a single address gets
 * a third of it. If an address could simply hold as much as is left free, the first would take half of the resource, and ten
 * addresses would use up a thousand units.
 */
export function createShares(total: number) {
  const amounts = new Map<string, number>();
  let free = total;

  /** Whether an address may hold `amount` more. An address that holds nothing may take whatever is free. */
  function isWithinShare(held: number, amount: number): boolean {
    if (held === 0) return amount <= free;
    return held + amount <= free * (free / total) ** 2;
  }

  return {
    /** Takes an amount for an address. Returns a function that releases it; undefined if the address would exceed its share. */
    take(address: string, amount = 1): (() => void) | undefined {
      const held = amounts.get(address) ?? 0;
      if (!isWithinShare(held, amount)) return undefined;
      amounts.set(address, held + amount);
      free -= amount;
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        free += amount;
        const left = (amounts.get(address) ?? 0) - amount;
        if (left > 0) amounts.set(address, left);
        else amounts.delete(address);
      };
    },
  };
}
