/* Sql.tsx — an editor for one question, with the words of the schema. Loaded when it is needed. */
import { autocompletion, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { PostgreSQL, sql } from "@codemirror/lang-sql";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "preact/hooks";

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--warm-text)", fontWeight: "bold" },
  { tag: tags.string, color: "var(--cool-text)" },
  { tag: tags.number, color: "var(--cool-text)" },
]);

const looks = EditorView.theme({
  "&": { color: "var(--ink)", fontSize: "16px" },
  "&.cm-focused": { outline: "3px solid var(--focus)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-tooltip": { background: "var(--card)", color: "var(--ink)", border: "1px solid var(--line)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { background: "var(--cool-text)", color: "var(--paper)" },
});

/** The document as the editor shall see it: without a head it makes its rules a constructed style
 * sheet, as in a shadow tree; a style element would be refused by the server's policy. */
function headless(): Document {
  return new Proxy(document, {
    get(d, key) {
      if (key === "head") return undefined;
      const value: unknown = Reflect.get(d, key, d);
      return typeof value === "function" ? value.bind(d) : value;
    },
    set: (d, key, value) => Reflect.set(d, key, value, d),
  });
}

/** `text` is what it begins with; from then on the editor has it: an echo that comes late would undo what
 * was typed since, and the two would answer each other for ever. */
export default function Sql(props: { text: string; table: string; columns: string[]; focus: boolean; changed: (text: string) => void }) {
  const at = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const told = useRef(props.changed); // of this turn of the page, not of the first
  told.current = props.changed;
  useEffect(() => {
    const tab = [...defaultKeymap, ...historyKeymap, ...completionKeymap];
    view.current = new EditorView({
      parent: at.current!,
      root: headless(),
      state: EditorState.create({
        doc: props.text,
        extensions: [
          history(),
          keymap.of(tab),
          autocompletion(),
          sql({ dialect: PostgreSQL, upperCaseKeywords: true, schema: { [props.table]: props.columns } }),
          syntaxHighlighting(colours),
          EditorView.lineWrapping,
          looks,
          EditorView.contentAttributes.of({ "aria-label": "question in SQL" }),
          EditorView.updateListener.of((u) => u.docChanged && told.current(u.state.doc.toString())),
        ],
      }),
    });
    if (props.focus) view.current.focus(); // whoever asked for it wants to write
    return () => view.current?.destroy();
  }, []);
  return <div class="editor" ref={at} />;
}
