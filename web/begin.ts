/**
 * The one script that a page asks for by itself. The page is whole without any, so the others wait until it has been
 * painted with its first picture, and leave it the line until then; whoever presses something sooner gets them sooner.
 */
const begin = () => {
  // It names the scripts, until they are asked for, and is shown where they do not come (`document.ts`).
  const notice = document.querySelector<HTMLElement>('[data-scripts]');
  if (!notice) return;
  const { scripts = '' } = notice.dataset;
  delete notice.dataset.scripts;
  Promise.all(scripts.split(' ').map((address) => import(/* @vite-ignore */ address))).catch(() => {
    notice.hidden = false;
  });
};

// The frame in which `load` falls is still to be painted.
addEventListener('load', () => requestAnimationFrame(() => setTimeout(begin)));
// A picture of another host may never come, and nothing is painted in the background.
setTimeout(begin, 3000);
for (const act of ['pointerdown', 'keydown']) addEventListener(act, begin);

export {};
