/**
 * Shares a limited resource between network addresses: each may hold as much as is left free. One client alone gets half of it,
 * two get a third each, and so on: there is room for the next one until as many addresses as the limit allows take part.
 */
export function createShares(total: number) {
  const amounts = new Map<string, number>();
  let free = total;

  return {
    /** Takes an amount for an address. Returns a function that gives it back; undefined if the address has its share. */
    take(address: string, amount = 1): (() => void) | undefined {
      const held = amounts.get(address) ?? 0;
      if (held + amount > free) return undefined;
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
