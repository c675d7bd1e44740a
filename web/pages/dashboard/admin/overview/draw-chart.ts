import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  type ChartConfiguration,
  LinearScale,
  Tooltip,
} from 'chart.js';

Chart.register(BarController, BarElement, CategoryScale, LinearScale, Tooltip);

export type Bar = { label: string; amount: number };
type Options = { bars: Bar[]; format: (amount: number) => string };

/** Draws a bar for each day, in the colours of the canvas and its parent. Returns a function that removes the chart. */
export function drawChart(canvas: HTMLCanvasElement, options: Options) {
  const chart = new Chart(canvas, configure(canvas, options));
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  const recolour = () => {
    const { options: recoloured } = configure(canvas, options);
    if (recoloured) chart.options = recoloured;
    for (const dataset of chart.data.datasets) dataset.backgroundColor = getComputedStyle(canvas).color;
    chart.update('none');
  };
  scheme.addEventListener('change', recolour);
  return () => {
    scheme.removeEventListener('change', recolour);
    chart.destroy();
  };
}

function configure(canvas: HTMLCanvasElement, { bars, format }: Options): ChartConfiguration<'bar'> {
  const { color: barColor, borderColor: grid, fontFamily: family } = getComputedStyle(canvas);
  const { color } = getComputedStyle(canvas.parentElement ?? canvas);
  const font = { family, size: 13 };
  return {
    type: 'bar',
    data: {
      labels: bars.map(({ label }) => label),
      datasets: [
        { data: bars.map(({ amount }) => amount), backgroundColor: barColor, categoryPercentage: 0.9 },
      ],
    },
    options: {
      // No motion, whatever the user's preference is.
      animation: false,
      aspectRatio: 2.5,
      scales: {
        x: {
          grid: { display: false },
          border: { color: grid },
          ticks: { color, font, maxRotation: 0, autoSkipPadding: 24 },
        },
        y: {
          beginAtZero: true,
          grid: { color: grid },
          border: { display: false },
          ticks: { color, font, maxTicksLimit: 5, callback: (amount) => format(Number(amount)) },
        },
      },
      plugins: {
        tooltip: { displayColors: false, callbacks: { label: ({ parsed }) => format(parsed.y ?? 0) } },
      },
    },
  };
}
