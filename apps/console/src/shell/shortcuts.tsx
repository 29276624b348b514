import { Kbd, Modal } from "@mantine/core";
import { Fragment, type ReactNode } from "react";

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
    [
      ["c a", "account"],
      ["c n", "network"],
      ["c c", "cluster"],
    ],
  ],
  [
    "Go to",
    [
      ["g o", "overview"],
      ["g t", "tree"],
      ["g a", "accounts"],
      ["g n", "networks"],
      ["g c", "clusters"],
      ["g s", "storage"],
      ["g p", "operations"],
      ["g r", "runs"],
      ["g d", "drift"],
    ],
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
