import type { JSX } from "preact";
import { pageData, start } from "../parts/start.tsx";
import { Value } from "../parts/value.tsx";

function Page(): JSX.Element {
  return (
    <main>
      <h1>Emulator</h1>
      <Value text={JSON.stringify(pageData())} />
    </main>
  );
}

start(<Page />);
