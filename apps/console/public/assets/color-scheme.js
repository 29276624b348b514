// Sets the colour scheme before the first paint, so that the page does not flash in the wrong scheme while it loads.
(() => {
  let scheme = "auto";
  try {
    scheme = localStorage.getItem("mantine-color-scheme-value") ?? "auto";
  } catch {
    // Without local storage the page follows the system setting.
  }
  const isDark = scheme === "dark" || (scheme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", isDark ? "dark" : "light");
})();
