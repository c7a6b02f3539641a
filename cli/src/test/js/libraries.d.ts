// As much of the libraries as pages use: they are global names there.

declare namespace d3 {
  interface Scale {
    (value: number): number;
    domain(): [number, number];
    domain(values: number[]): Scale;
    range(): [number, number];
    range(values: number[]): Scale;
    invert(pixel: number): number;
    ticks(count?: number): number[];
    tickFormat(count?: number, format?: string): (value: number) => string;
    nice(): Scale;
    base(base: number): Scale;
  }
  function scaleLinear(): Scale;
  function scaleLog(): Scale;

  interface ZoomTransform {
    readonly k: number;
    readonly x: number;
    readonly y: number;
    translate(x: number, y: number): ZoomTransform;
    scale(k: number): ZoomTransform;
  }
  const zoomIdentity: ZoomTransform;
  interface Zoom {
    (selection: Selection): void;
    scaleExtent(extent: [number, number]): Zoom;
    translateExtent(extent: [[number, number], [number, number]]): Zoom;
    extent(extent: () => [[number, number], [number, number]]): Zoom;
    filter(filter: (event: MouseEvent) => boolean): Zoom;
    on(type: string, listener: (event: { transform: ZoomTransform }) => void): Zoom;
    scaleBy(selection: Selection, factor: number, point?: [number, number]): void;
    translateBy(selection: Selection, x: number, y: number): void;
    transform(selection: Selection, transform: ZoomTransform): void;
  }
  function zoom(): Zoom;

  interface Selection {
    call(act: (selection: Selection) => void): Selection;
    property(name: string, value: unknown): Selection;
  }
  function select(element: Element): Selection;
}

declare namespace dagre {
  interface Placed {
    x: number;
    y: number;
    width: number;
    height: number;
  }
  namespace graphlib {
    class Graph {
      constructor(options?: { multigraph?: boolean; compound?: boolean });
      setGraph(options: Record<string, unknown>): Graph;
      setDefaultEdgeLabel(label: () => object): Graph;
      setNode(id: string, label: object): Graph;
      setEdge(from: string, to: string, label?: object): Graph;
      node(id: string): Placed;
      edge(from: string, to: string): { points: { x: number; y: number }[] };
      graph(): { width: number; height: number };
    }
  }
  function layout(graph: graphlib.Graph): void;
}
