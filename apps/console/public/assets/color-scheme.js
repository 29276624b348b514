// Before the first paint, so that nobody who works in the dark is dazzled while the console loads.
(() => {
  let wish = "auto";
  try {
    wish = localStorage.getItem("mantine-color-scheme-value") ?? "auto";
  } catch {
    // A browser that keeps nothing follows the system.
  }
  const isDark = wish === "dark" || (wish !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", isDark ? "dark" : "light");
})();
