import { Kbd, Modal } from "@mantine/core";
import { Fragment, type ReactNode } from "react";
import { kindViews } from "../kinds/registry.ts";
import { navigation } from "./navigation.ts";

const groups: readonly (readonly [title: string, keys: readonly (readonly [keys: string, does: string])[]])[] = [
  [
    "Anywhere",
    [
      ["Ctrl K", "search and commands"],
      ["/", "filter the page"],
      ["?", "show these shortcuts"],
      ["Esc", "close the dialog"],
    ],
  ],
  [
    "Create",
    kindViews.flatMap(({ noun, shortcuts }) =>
      shortcuts?.create === undefined ? [] : [[`c ${shortcuts.create}`, noun] as const],
    ),
  ],
  [
    "Go to",
    navigation.flatMap(({ places }) =>
      places.flatMap(({ key, label }) => (key === undefined ? [] : [[`g ${key}`, label.toLowerCase()] as const])),
    ),
  ],
];

/** Lists the keyboard shortcuts. */
export function Shortcuts({ onClose }: { readonly onClose: () => void }): ReactNode {
  return (
    <Modal opened onClose={onClose} title="Keyboard shortcuts" size="lg">
      <div className="cw-keys">
        {groups.map(([title, keys]) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {keys.map(([combination, does]) => (
                <Fragment key={combination}>
                  <dt>
                    {combination.split(" ").map((key) => (
                      <Kbd key={key + does} size="sm">
                        {key}
                      </Kbd>
                    ))}
                  </dt>
                  <dd>{does}</dd>
                </Fragment>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  );
}
