import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { publish } from './publish.ts';

/** A served folder to publish builds to. */
function makeFolder() {
  const root = mkdtempSync(join(tmpdir(), 'shop-publish-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const [stage, folder] = [join(root, 'next'), join(root, 'web')];
  const list = () =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  return {
    /** Publishes a build with these files and returns all served files. */
    build(...names: string[]): string[] {
      mkdirSync(join(stage, 'static'), { recursive: true });
      for (const name of names) writeFileSync(join(stage, 'static', name), names.join());
      publish(stage, folder);
      const files = list().map((file) => file.slice(folder.length + 1));
      return files.filter((file) => file.startsWith('static')).sort();
    },
    read: (name: string) => readFileSync(join(folder, 'static', name), 'utf8'),
    /** Makes all files older. */
    age(days: number): void {
      for (const file of list()) {
        const time = new Date(statSync(file).mtimeMs - days * 24 * 60 * 60 * 1000);
        utimesSync(file, time, time);
      }
    },
  };
}

test('files of a build stay for a month after its replacement, however long it was served', () => {
  const folder = makeFolder();
  folder.build('main.js', 'one.js');
  folder.age(100);
  expect(folder.build('main.js', 'two.js')).toEqual(['static/main.js', 'static/one.js', 'static/two.js']);
  expect(folder.read('main.js')).toBe('main.js,two.js');
  folder.age(29);
  expect(folder.build('main.js', 'three.js')).toContain('static/one.js');
  folder.age(2);
  expect(folder.build('main.js', 'three.js')).toEqual(['static/main.js', 'static/three.js', 'static/two.js']);
});

test('a file that is published again stays for another month', () => {
  const folder = makeFolder();
  folder.build('one.js');
  folder.build('two.js');
  folder.age(29);
  folder.build('one.js');
  folder.age(29);
  folder.build('three.js');
  folder.age(29);
  expect(folder.build('three.js')).toEqual(['static/one.js', 'static/three.js']);
});
