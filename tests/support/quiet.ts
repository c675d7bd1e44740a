import { format } from 'node:util';
import { afterAll, afterEach } from 'vitest';

// A test that makes the shop complain to the console fails, even where all its expectations hold.
const complaints: string[] = [];

for (const level of ['error', 'warn'] as const) {
  console[level] = (...given: unknown[]) => {
    complaints.push(`console.${level}: ${format(...given)}`);
  };
}

function failOnComplaints(): void {
  const found = complaints.splice(0);
  if (found.length > 0) throw new Error(found.join('\n'));
}

afterEach(failOnComplaints);
afterAll(failOnComplaints);
