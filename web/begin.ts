/**
 * The one script that a page asks for by itself. The page is whole without any, so the others wait until it has been
 * painted with its first picture, and leave it the line until then; whoever presses something sooner gets them sooner.
 */
const begin = () => {
  const { scripts = '' } = document.querySelector<HTMLScriptElement>('script[data-scripts]')?.dataset ?? {};
  for (const address of scripts.split(' ')) void import(/* @vite-ignore */ address);
};

// The frame in which `load` falls is still to be painted.
addEventListener('load', () => requestAnimationFrame(() => setTimeout(begin)));
// A picture of another host may never come, and nothing is painted in the background.
setTimeout(begin, 3000);
for (const act of ['pointerdown', 'keydown']) addEventListener(act, begin);

export {};
