import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Icon } from "../parts/icon.tsx";
import { Value } from "../parts/value.tsx";
import { VirtualRows } from "../parts/virtual-rows.tsx";
import type { FieldData, LineData, Piece } from "./report-page.d.ts";
import { plain } from "./wanted.ts";

/** How many names stand in a line before the rest is folded. */
const FEW_NAMES = 6;

/** From how many names on only those that are seen exist. */
const MANY_NAMES = 200;

/** Shows a text whose parts have looks of their own. A word that warns is a badge. */
export function Pieces({ pieces }: { readonly pieces: readonly Piece[] }): JSX.Element {
  return (
    <>
      {pieces.map((piece, index) => {
        if (typeof piece === "string") return <Value key={index} text={piece} />;
        const [text, tone] = piece;
        const Tag = tone === "bad" ? "strong" : "span";
        return (
          <Tag key={index} class={LOUD.test(text) ? "loud" : `tone-${tone}`}>
            <Value text={text} />
          </Tag>
        );
      })}
    </>
  );
}

const LOUD = /^(?:DANGER|BLOCKED|CONFLICT|NOTICE)$/;

/** Shows lines below each other, indented as in the text: sentences, names, fields side by side, commands to copy. */
export function Lines({
  lines,
  query,
}: {
  readonly lines: readonly LineData[];
  readonly query: readonly string[];
}): JSX.Element {
  return (
    <>
      {lines.map((line, index) => (
        <div
          class={`line in-${Math.min(4, Math.ceil((line.indent ?? 0) / 4))} ${line.field === undefined ? "" : "has-field"}`}
          key={index}
        >
          <LineContent line={line} query={query} />
        </div>
      ))}
    </>
  );
}

function LineContent({ line, query }: { readonly line: LineData; readonly query: readonly string[] }): JSX.Element {
  if (line.isCommand) return <Command text={plain(line.text)} />;
  if (line.names !== undefined)
    return (
      <>
        {line.text.length > 0 && (
          <p>
            <Pieces pieces={line.text} />
          </p>
        )}
        <Names names={line.names} query={query} />
      </>
    );
  if (line.field !== undefined) return <Field field={line.field} line={line} />;
  return (
    <p class={`said tone-${line.tone ?? "plain"}`}>
      <span>
        {line.mark !== undefined && <Mark text={line.mark} />}
        <Pieces pieces={line.text} />
      </span>
      <Aside line={line} />
    </p>
  );
}

/** Shows the word that says how bad something is. */
export function Mark({ text }: { readonly text: string }): JSX.Element {
  return (
    <>
      <strong class={`loud ${text === "NOTICE" ? "notice" : ""}`}>{text}</strong>{" "}
    </>
  );
}

/** Shows what stands beside a line: a place in a file, as a link if there is an address for it, or a name. */
function Aside({ line: { aside, link } }: { readonly line: LineData }): JSX.Element | null {
  if (aside === undefined) return null;
  return (
    <span class="aside">
      {link === undefined ? (
        <Value text={aside} />
      ) : (
        <a href={link} rel="noreferrer">
          <Value text={aside} />
        </a>
      )}
    </span>
  );
}

function Field({ field, line }: { readonly field: FieldData; readonly line: LineData }): JSX.Element {
  const { name, before, after, remark, isDanger } = field;
  return (
    <div class={`field ${isDanger ? "in-danger" : ""}`}>
      <div class="about">
        <code>
          <Value text={name} />
        </code>
        {isDanger && <Mark text="DANGER" />}
        {remark !== undefined && (
          <span class="quiet">
            <Value text={remark} />
          </span>
        )}
        <Aside line={line} />
      </div>
      <div class={before === undefined || after === undefined ? "sides one" : "sides"}>
        {before !== undefined && (
          <del>
            <span class="unseen">before: </span>
            <Pieces pieces={before} />
          </del>
        )}
        {after !== undefined && (
          <ins>
            <span class="unseen">{before === undefined ? "value: " : "after: "}</span>
            <Pieces pieces={after} />
          </ins>
        )}
      </div>
    </div>
  );
}

/** Shows a command, and copies it on a click. */
function Command({ text }: { readonly text: string }): JSX.Element {
  return (
    <div class="command">
      <pre tabIndex={0} role="region" aria-label="Command">
        <Value text={text} />
      </pre>
      <Copy text={() => text} label="Copy the command" />
    </div>
  );
}

/** A button that copies a text, and says so. */
export function Copy({ text, label }: { readonly text: () => string; readonly label: string }): JSX.Element {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await copyText(text());
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MILLISECONDS);
  };
  return (
    <button
      type="button"
      class="button small live-only"
      aria-label={isCopied ? "Copied" : label}
      title={label}
      onClick={() => void copy()}
    >
      <Icon name={isCopied ? "check" : "copy"} />
      {isCopied && "Copied"}
    </button>
  );
}

/** How long a button says that it copied. */
const SHOWN_MILLISECONDS = 1500;

/** A page that is opened from a file may have no clipboard; then the browser's older way still works. */
async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
}

/** Shows names: a few in a line, more behind a click. Of a search, those that contain its words. */
function Names({
  names,
  query,
}: {
  readonly names: readonly string[];
  readonly query: readonly string[];
}): JSX.Element {
  const hits =
    query.length === 0 ? [] : names.filter((name) => query.some((word) => name.toLowerCase().includes(word)));
  const isSearched = hits.length > 0 && hits.length < names.length;
  const [isOpen, setOpen] = useState(false);
  const [isLive, setLive] = useState(false);
  useEffect(() => setLive(true), []);
  if (names.length <= FEW_NAMES) return <NameList names={names} />;
  const shown = isSearched ? hits : names;
  const count = isSearched ? `${hits.length.toLocaleString("en")} of ${names.length.toLocaleString("en")}` : "";
  const rest = names.length - 3;
  return (
    <details
      class="names"
      open={isOpen || isSearched}
      onToggle={(event) => !isSearched && setOpen(event.currentTarget.open)}
    >
      <summary>
        {isSearched ? (
          `${count} names match`
        ) : (
          <>
            <Value text={names.slice(0, 3).join(", ")} /> and {rest.toLocaleString("en")} more
          </>
        )}
      </summary>
      <Copy text={() => shown.join("\n")} label="Copy these names" />
      {shown.length <= MANY_NAMES || !isLive ? (
        <>
          <NameList names={shown.slice(0, MANY_NAMES)} />
          {shown.length > MANY_NAMES && (
            <p class="static-only quiet">
              and {(shown.length - MANY_NAMES).toLocaleString("en")} more, which this page shows where JavaScript is on
            </p>
          )}
        </>
      ) : (
        (isOpen || isSearched) && (
          <VirtualRows
            label="Names"
            rows={shown}
            rowHeight={26}
            height={312}
            cells={(name) => (
              <span role="cell" class="mono">
                <Value text={name} />
              </span>
            )}
          />
        )
      )}
    </details>
  );
}

function NameList({ names }: { readonly names: readonly string[] }): JSX.Element {
  return (
    <ul class="name-list">
      {names.map((name) => (
        <li key={name} class="mono">
          <Value text={name} />
        </li>
      ))}
    </ul>
  );
}
