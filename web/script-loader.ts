/**
 * Loads the page's other scripts after the first paint, so that they do not compete with the first image for
 * bandwidth. Any click or key press loads them immediately.
 */
const loadScripts = () => {
  // The notice lists the scripts, and is shown if they fail to load (`document.ts`).
  const notice = document.querySelector<HTMLElement>('[data-scripts]');
  if (!notice) return;
  const { scripts = '' } = notice.dataset;
  delete notice.dataset.scripts;
  Promise.all(scripts.split(' ').map((url) => import(/* @vite-ignore */ url))).catch(() => {
    notice.hidden = false;
  });
};

// The `load` event fires before the frame is painted.
addEventListener('load', () => requestAnimationFrame(() => setTimeout(loadScripts)));
// An image on another host may never load, and background tabs do not paint.
setTimeout(loadScripts, 3000);
for (const type of ['pointerdown', 'keydown']) addEventListener(type, loadScripts);

export {};
