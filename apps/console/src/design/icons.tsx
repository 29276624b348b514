import type { ReactNode } from "react";

/** Line icons on a 24 by 24 grid, drawn for this console. */
const paths = {
  overview: "M4 13h6V4H4zM14 20h6v-9h-6zM4 20h6v-3H4zM14 7h6V4h-6z",
  account: "M12 3 4 7v5c0 4.6 3.3 7.9 8 9 4.7-1.1 8-4.4 8-9V7zM9 12l2 2 4-4",
  network: "M12 3v5M12 16v5M5 12h14M5 12v4M19 12v4M9 8h6v3H9zM2.5 16h5v4h-5zM16.5 16h5v4h-5z",
  cluster: "M12 2.8 20 7.4v9.2l-8 4.6-8-4.6V7.4zM12 12l8-4.6M12 12v9.2M12 12 4 7.4",
  nodepool: "M4 4h16v6H4zM4 14h16v6H4zM7.5 7h.01M7.5 17h.01M12 7h5M12 17h5",
  storage:
    "M4 6c0-1.7 3.6-3 8-3s8 1.3 8 3-3.6 3-8 3-8-1.3-8-3zM4 6v12c0 1.7 3.6 3 8 3s8-1.3 8-3V6M4 12c0 1.7 3.6 3 8 3s8-1.3 8-3",
  instance: "M4 5h16v11H4zM9 20h6M12 16v4M8 9l2 2-2 2M12 13h4",
  securitygroup: "M4 4h16v16H4zM4 9.300h16M4 14.700h16M10 4v5.300M15 9.300v5.400M9 14.700V20",
  volume: "M4 5h16v14H4zM12 8.500a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7zM12 12h.01M17 16.500h.01",
  inventory: "M4 4h16v6H4zM4 14h16v6H4zM8 7h.01M8 17h.01M12 7h4M12 17h4",
  volumesnapshot: "M8 8h12v12H8zM4 16V4h12M14 11.500a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5z",
  sshkey: "M8 9a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM11 11l8-8M16 6l3 3M14 8l2 2",
  environment: "M12 3 3 8l9 5 9-5zM3 12.5l9 5 9-5M3 16.5l9 5 9-5",
  operation: "M4 12h4l2.5-7 4 14L17 12h3",
  run: "M5 4.5v15l14-7.5z",
  drift: "M3 7h5c4 0 4 10 8 10h5M18 14l3 3-3 3M3 17h5c1.3 0 2.2-1 3-2.5M13.5 9C14.200 7.700 15 7 16 7h5M18 4l3 3-3 3",
  state: "M7 3h8l4 4v14H7zM15 3v4h4M10 12h6M10 16h6M4 6v15",
  graph:
    "M6 4.500a2 2 0 1 0 0 4 2 2 0 0 0 0-4zM18 9.500a2 2 0 1 0 0 4 2 2 0 0 0 0-4zM6 15.500a2 2 0 1 0 0 4 2 2 0 0 0 0-4zM8 7l8 4M8 17l8-4",
  audit: "M6 3h12v18l-3-2-3 2-3-2-3 2zM9 8h6M9 12h6",
  agent:
    "M7 8h10a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2v-7c0-1.100.900-2 2-2zM12 8V4M9.500 13h.01M14.500 13h.01M3 12v3M21 12v3",
  grant: "M12 3a5 5 0 1 1 0 10 5 5 0 0 1 0-10zM9 12.200 8 21l4-2.500 4 2.500-1-8.800",
  access: "M15 4a5 5 0 1 1-4.600 7L4 17.400V20h3v-2h2v-2h2l1.700-1.700M16 8h.01",
  simulator: "M9 3h6M10 3v6l-5.200 9A2 2 0 0 0 6.500 21h11a2 2 0 0 0 1.700-3L14 9V3M7.500 15h9",
  search: "M10.500 4a6.500 6.500 0 1 1 0 13 6.500 6.500 0 0 1 0-13zM15.500 15.500 20 20",
  plus: "M12 5v14M5 12h14",
  check: "M5 12.500l4.500 4.500L19 7.500",
  cross: "M6 6l12 12M18 6 6 18",
  alert: "M12 4 2.500 20h19zM12 10v4M12 17h.01",
  info: "M12 3.500a8.500 8.500 0 1 0 0 17 8.500 8.500 0 0 0 0-17zM12 11v5M12 8h.01",
  clock: "M12 3.500a8.500 8.500 0 1 0 0 17 8.500 8.500 0 0 0 0-17zM12 7.500V12l3 2",
  chevron: "M9 6l6 6-6 6",
  down: "M6 9l6 6 6-6",
  upgrade: "M12 20V5M6 11l6-6 6 6",
  above: "M6 15l6-6 6 6",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2.500v2M12 19.500v2M2.500 12h2M19.500 12h2M5.300 5.300l1.400 1.400M17.300 17.300l1.400 1.400M5.300 18.700l1.400-1.400M17.300 6.700l1.400-1.400",
  moon: "M20 14.500A8.500 8.500 0 0 1 9.500 4a8.500 8.500 0 1 0 10.500 10.500z",
  trash: "M4 7h16M9 7V4h6v3M6 7l1 14h10l1-14M10 11v6M14 11v6",
  pause: "M8 5v14M16 5v14",
  retry: "M20 11A8 8 0 0 0 6 6.500L4 8.500M4 4v4.500h4.500M4 13a8 8 0 0 0 14 4.500l2-2M20 20v-4.500h-4.500",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  menu: "M4 7h16M4 12h16M4 17h16",
  columns: "M4 4h16v16H4zM9.500 4v16M14.500 4v16",
  code: "M8 8l-4 4 4 4M16 8l4 4-4 4M13.500 5l-3 14",
  edit: "M4 20l1-4L16 5l3 3L8 19zM14 7l3 3",
  out: "M14 4h5v16h-5M10 8l-4 4 4 4M6 12h9",
  end: "M12 4v11M7 10.500l5 5 5-5M5 20h14",
  save: "M5 4h11l3 3v13H5zM8 4v5h7V4M8 20v-6h8v6",
  grow: "M14 4h6v6M20 4l-7 7M10 20H4v-6M4 20l7-7",
  shrink: "M20 10h-6V4M14 10l6-6M4 14h6v6M10 14l-6 6",
  // Symbols that distinguish the clouds without copying their logos: boxes above an arc, a hexagon around a circle, and a peak.
  arc: "M5 4h6v6H5zM13 4h6v6h-6zM9 12.500h6M3 15c5 4.500 13 4.500 18 0M21 15l-3-.300M21 15l-.600 3",
  hexagon: "M7.500 4.500h9L21 12l-4.500 7.500h-9L3 12zM12 8.700a3.300 3.300 0 1 0 0 6.600 3.300 3.300 0 0 0 0-6.600z",
  peak: "M12 3.500 3.500 20H9l3-6 4.500 6h4zM12 14l-1.500-3.500",
  dot: "M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z",
} as const;

export type IconName = keyof typeof paths;

/** Renders an icon. Screen readers ignore icons, so each one needs a text label beside it. */
export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }): ReactNode {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.7}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className="cw-icon"
    >
      <path d={paths[name]} />
    </svg>
  );
}
