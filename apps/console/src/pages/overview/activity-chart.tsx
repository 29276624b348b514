import "uplot/dist/uPlot.min.css";
import type { EntityByKind } from "@cloudwright/api-client";
import { useComputedColorScheme } from "@mantine/core";
import { useEffect, useMemo, useRef, type ReactNode } from "react";
import UPlot from "uplot";
import { clockTime } from "../../design/time.tsx";
import { countActivity } from "./count-activity.ts";

const height = 190;

/** Charts how many operations ended, and how many of them failed, in each minute of the last hour. */
export function ActivityChart({ operations }: { readonly operations: readonly EntityByKind["Operation"][] }): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme("light", { getInitialValueInEffect: false });
  const data = useMemo(() => countActivity(operations, Date.now()), [operations]);
  const plot = useRef<UPlot>(undefined);
  const latest = useRef(data);
  latest.current = data;
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const paint = (name: string): string => getComputedStyle(element).getPropertyValue(name).trim();
    const bars = UPlot.paths.bars?.({ size: [0.7, 14], radius: 0.2 });
    const axis = {
      stroke: paint("--mantine-color-dimmed"),
      grid: { stroke: paint("--cw-line"), width: 1 },
      ticks: { show: false },
      font: "11px Inter Variable",
    };
    const series = (label: string, color: string): UPlot.Series => ({
      label,
      fill: color,
      stroke: color,
      width: 0,
      points: { show: false },
      ...(bars === undefined ? {} : { paths: bars }),
    });
    const chart = new UPlot(
      {
        width: element.clientWidth,
        height,
        cursor: { show: false },
        legend: { show: false },
        scales: { y: { range: (_self, _min, max) => [0, Math.max(4, max + 1)] } },
        axes: [
          {
            ...axis,
            space: 60,
            values: (_self, times) => times.map((time) => clockTime(new Date(time * 1000).toISOString()).slice(0, 5)),
          },
          { ...axis, size: 28, incrs: [1, 2, 5, 10, 20, 50, 100, 500] },
        ],
        series: [{}, series("ended", paint("--cw-good")), series("failed", paint("--cw-bad"))],
      },
      latest.current as unknown as UPlot.AlignedData,
      element,
    );
    plot.current = chart;
    const watcher = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }));
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      chart.destroy();
    };
  }, [scheme]);
  useEffect(() => plot.current?.setData(data as unknown as UPlot.AlignedData), [data]);
  const [, all, failed] = data;
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return (
    <figure style={{ margin: 0 }} aria-label={`Operations that ended in the last hour: ${sum(all)}; failed: ${sum(failed)}`}>
      <div ref={place} style={{ height }} aria-hidden="true" />
      <figcaption className="cw-legend">
        <span data-tone="good">
          <i />
          ended {sum(all)}
        </span>
        <span data-tone="bad">
          <i />
          failed {sum(failed)}
        </span>
      </figcaption>
    </figure>
  );
}
