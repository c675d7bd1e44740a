import { format } from 'node:util';
import { afterAll, afterEach } from 'vitest';

// A console error or warning fails the test, even if all its expectations hold.
const messages: string[] = [];

for (const level of ['error', 'warn'] as const) {
  console[level] = (...args: unknown[]) => {
    messages.push(`console.${level}: ${format(...args)}`);
  };
}

function failOnMessages(): void {
  const found = messages.splice(0);
  if (found.length > 0) throw new Error(found.join('\n'));
}

afterEach(failOnMessages);
afterAll(failOnMessages);
