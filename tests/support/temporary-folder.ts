import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const memory = '/dev/shm';
const neededBytes = 4 * 1024 ** 3;

/**
 * The parent folder of test databases. On Linux the folder is in memory if there is room, because each of thousands of commits
 * would otherwise wait for the disk. Tests kill processes, not machines, so what is written survives in memory as on a disk.
 */
export const temporaryFolder = process.platform === 'linux' && hasRoom() ? memory : tmpdir();

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= neededBytes;
  } catch {
    return false;
  }
}
