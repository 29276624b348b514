import { AppShell, MantineProvider } from "@mantine/core";
import { createElement, type ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { Page } from "../design/layout.tsx";
import { ShellMain } from "./shell-main.tsx";

const countMains = (content: ReactNode): number =>
  [...renderToStaticMarkup(createElement(MantineProvider, null, content)).matchAll(/<main[\s>]/g)].length;

test("M015 a page has exactly one main landmark, inside the shell and without it", () => {
  const page = createElement(Page, { title: "Networks", children: "none" });
  expect(countMains(page)).toBe(1);
  expect(countMains(createElement(AppShell, null, createElement(ShellMain, null, page)))).toBe(1);
});
