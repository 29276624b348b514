import type { Page } from "playwright-core";

// Runs in the page, which has other globals than this file.
const script = `(async () => {
  const pauses = [0];
  const observer = new PerformanceObserver((list) => pauses.push(...list.getEntries().map(({ duration }) => duration)));
  observer.observe({ type: "longtask", buffered: false });
  const scroller = document.querySelector(".cw-scroll");
  for (let top = 0; top < scroller.scrollHeight; top += 9000) {
    scroller.scrollTop = top;
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  }
  observer.disconnect();
  return Math.max(...pauses);
})()`;

/** Scrolls a table from its first row to its last; gives the longest time for which the page did nothing else, in milliseconds. */
export async function scrollThrough(page: Page): Promise<number> {
  return page.evaluate<number>(script);
}
