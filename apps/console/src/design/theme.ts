import { createTheme, type CSSVariablesResolver } from "@mantine/core";

export const theme = createTheme({
  primaryColor: "blue",
  primaryShade: 7,
  fontFamily: '"Inter Variable", system-ui, -apple-system, "Segoe UI", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "JetBrains Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace',
  fontSizes: { xs: "12px", sm: "13px", md: "14px", lg: "16px", xl: "20px" },
  headings: { fontWeight: "620" },
  defaultRadius: "md",
  cursorType: "pointer",
  autoContrast: true,
  respectReducedMotion: true,
  colors: {
    blue: ["#eef3ff", "#dce5fb", "#b6c9f4", "#8eabed", "#6c91e8", "#5780e5", "#4a76e4", "#3b63c9", "#3158b5", "#244ca0"],
    dark: ["#d5d9e2", "#a9b0be", "#8d95a5", "#636b7b", "#3b424f", "#2c323d", "#222731", "#171b23", "#11141a", "#0c0e13"],
  },
  components: {
    Button: { defaultProps: { size: "sm" } },
    Tooltip: { defaultProps: { openDelay: 300, withArrow: true } },
    Switch: { defaultProps: { withThumbIndicator: false } },
    SegmentedControl: { defaultProps: { classNames: { root: "cw-segments" } } },
    Modal: {
      defaultProps: {
        centered: true,
        overlayProps: { backgroundOpacity: 0.4, blur: 2 },
        closeButtonProps: { "aria-label": "Close" },
      },
    },
  },
});

/** The console's CSS variables for light and dark mode. Every pair of text and background colours has a contrast ratio of at least 4.5. */
export const resolveVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-body": "#f6f7f9",
    "--mantine-color-dimmed": "#5b6472",
    "--mantine-color-placeholder": "#6b7482",
    "--mantine-color-error": "#c0262d",
    "--cw-panel": "#ffffff",
    "--cw-lift": "0 12px 40px rgb(16 24 40 / 16%), 0 2px 6px rgb(16 24 40 / 8%)",
    "--cw-panel-2": "#f3f5f8",
    "--cw-line": "#e2e6ec",
    "--cw-shadow": "0 1px 2px rgb(16 24 40 / 5%)",
    "--cw-good": "#0b7a43",
    "--cw-busy": "#2457c5",
    "--cw-warn": "#955400",
    "--cw-bad": "#c0262d",
    "--cw-idle": "#5b6472",
    "--cw-sim": "#7a3fb8",
  },
  dark: {
    "--mantine-color-body": "#0f1218",
    "--mantine-color-dimmed": "#98a1b1",
    "--mantine-color-placeholder": "#8791a1",
    "--mantine-color-error": "#ff8082",
    "--cw-panel": "#171b23",
    "--cw-lift": "0 12px 40px rgb(0 0 0 / 55%)",
    "--cw-panel-2": "#1d222c",
    "--cw-line": "#2a303b",
    "--cw-shadow": "none",
    "--cw-good": "#4fc98a",
    "--cw-busy": "#82a8ff",
    "--cw-warn": "#eeb04f",
    "--cw-bad": "#ff8082",
    "--cw-idle": "#98a1b1",
    "--cw-sim": "#c39af2",
  },
});
