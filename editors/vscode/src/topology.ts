// What the preview draws is read from the solution: the roles of each
// deployment, and the connectors between their channels.

export interface Link {
  from: string;
  to: string;
  connector: string;
}

interface Solution {
  deployments: Record<string, {
    artifact: { description?: { connector?: Record<string, Connector> } };
  }>;
}

interface Connector {
  clients?: { role: string }[];
  servers?: { links?: { role: string }[] }[];
}

/** links lists the connections of a solution, in the order of their names. */
export function links(solution: Solution): Link[] {
  const out: Link[] = [];
  for (const [name, deployment] of sorted(solution.deployments)) {
    for (const [connector, c] of sorted(deployment.artifact.description?.connector ?? {})) {
      for (const client of c.clients ?? []) {
        for (const server of c.servers ?? []) {
          for (const link of server.links ?? []) {
            out.push({ from: place(name, client.role), to: place(name, link.role), connector });
          }
        }
      }
    }
  }
  return out;
}

/** place is a role of a deployment; "self" is what lies beyond it. */
function place(deployment: string, role: string): string {
  return role === "self" ? deployment : `${deployment}.${role}`;
}

function sorted<T>(record: Record<string, T>): [string, T][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

const boxWidth = 180;
const boxHeight = 36;
const columnWidth = 280;
const rowHeight = 64;
const origin = { x: 0, y: 0 };

/** svg draws the links in columns: a role stands right of those that call it. */
export function svg(list: Link[]): string {
  const nodes = [...new Set(list.flatMap((l) => [l.from, l.to]))].sort();
  const columns = layers(nodes, list);
  const rows = new Map<number, number>();
  const at = new Map<string, { x: number; y: number }>();
  for (const node of nodes) {
    const column = columns.get(node) ?? 0;
    const row = rows.get(column) ?? 0;
    rows.set(column, row + 1);
    at.set(node, { x: 20 + column * columnWidth, y: 20 + row * rowHeight });
  }
  const parts: string[] = [];
  for (const l of list) {
    const a = at.get(l.from) ?? origin;
    const b = at.get(l.to) ?? origin;
    const [x1, y1, x2, y2] = [a.x + boxWidth, a.y + boxHeight / 2, b.x, b.y + boxHeight / 2];
    parts.push(`<path d="M${x1} ${y1} C${x1 + 50} ${y1} ${x2 - 50} ${y2} ${x2} ${y2}" fill="none" stroke="currentColor" marker-end="url(#arrow)"/>`);
    parts.push(`<text x="${(x1 + x2) / 2}" y="${(y1 + y2) / 2 - 4}" text-anchor="middle" font-size="11">${escape(l.connector)}</text>`);
  }
  for (const [node, p] of at) {
    parts.push(`<rect x="${p.x}" y="${p.y}" width="${boxWidth}" height="${boxHeight}" rx="4" fill="none" stroke="currentColor"/>`);
    parts.push(`<text x="${p.x + boxWidth / 2}" y="${p.y + boxHeight / 2 + 4}" text-anchor="middle">${escape(node)}</text>`);
  }
  const width = 20 + (Math.max(0, ...columns.values()) + 1) * columnWidth;
  const height = 20 + Math.max(1, ...rows.values()) * rowHeight;
  const arrow = `<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="currentColor"/></marker></defs>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" fill="currentColor" font-family="sans-serif" font-size="13">${arrow}${parts.join("")}</svg>`;
}

/** layers gives each node its column; links may be circular, so it gives up pushing at some point. */
function layers(nodes: string[], list: Link[]): Map<string, number> {
  const column = new Map(nodes.map((n) => [n, 0]));
  let changed = true;
  for (let round = 0; round < nodes.length && changed; round++) {
    changed = false;
    for (const l of list) {
      const want = (column.get(l.from) ?? 0) + 1;
      if (l.from !== l.to && (column.get(l.to) ?? 0) < want && want < nodes.length) {
        column.set(l.to, want);
        changed = true;
      }
    }
  }
  return column;
}

/** escape makes text safe within markup: names come from whoever wrote the manifest. */
export function escape(text: string): string {
  return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

/** page is the document of the preview; it runs no scripts and loads nothing. */
export function page(solution: string): string {
  const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`;
  const list = links(JSON.parse(solution) as Solution);
  const body = list.length > 0 ? svg(list) : "<p>Nothing is connected.</p>";
  return `<!DOCTYPE html><html><head><meta charset="utf-8">${policy}</head><body>${body}</body></html>`;
}
