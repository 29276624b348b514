import { useRouter } from "@tanstack/react-router";
import type { MouseEvent, ReactNode } from "react";

/** A fast link for long tables. The router's own link component resolves its target on every render, which slows down scrolling. */
export function RowLink({ to, children }: { readonly to: string; readonly children: ReactNode }): ReactNode {
  const router = useRouter();
  const go = (event: MouseEvent): void => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void router.navigate({ to });
  };
  return (
    <a className="cw-name" href={to} onClick={go} onMouseEnter={() => void router.preloadRoute({ to })}>
      {children}
    </a>
  );
}
