// Draws the charts of the page with D3 as SVG. Colours come from the style sheet, so that they follow light and dark mode.
//
//   {id, title, kind: "lines", x, y, series: [{name, tone, points: [[x, y], ...]}]}
//       axes: {label, log: logarithmic scale, steps: equal steps between the values, most: upper end,
//              fit: does not start from 0}
//   {id, title, kind: "bars", x, rows: [{name, samples, correct} or {name, value}], mark: {at, label}}
(function () {
  "use strict";
  var shapes = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down"];
  var kMostMarks = 60;  // per series; with more points only the line is drawn
  var charts = JSON.parse(document.getElementById("charts").textContent);

  function short_number(value) {
    if (value === 0) return "0";
    var size = Math.abs(value);
    return size < 0.001 || size >= 1e5 ? d3.format(".1e")(value).replace("e-0", "e-").replace(".0e", "e") : String(+value.toPrecision(4));
  }

  function tone(index) { return "tone-" + index % shapes.length; }
  function shape(index, size) { return d3.svg.symbol().type(shapes[index % shapes.length]).size(size)(); }

  // ---- scales ----

  function scale_of(axis, values, range) {
    if (axis.steps) {
      var steps = d3.set(values).values().map(Number).sort(d3.ascending);
      return d3.scale.ordinal().domain(steps).rangePoints(range, 0.6);
    }
    if (axis.log) {
      var positive = values.filter(function (v) { return v > 0; });
      var log = d3.scale.log().domain(positive.length ? d3.extent(positive) : [0.1, 1]);
      var decades = log.domain().map(function (v) { return Math.log10(v); });  // whole numbers up to rounding
      var least_decade = Math.floor(decades[0] + 1e-9), most_decade = Math.max(Math.ceil(decades[1] - 1e-9), least_decade + 1);
      return log.domain([Math.pow(10, least_decade), Math.pow(10, most_decade)]).range(range).clamp(true);  // a gap of zero is drawn on the edge
    }
    var least = axis.fit || axis.label === "iteration" ? d3.min(values) : 0, most = axis.most || d3.max(values);
    if (!(most > least)) { most = least + (least || 1); }
    var linear = d3.scale.linear().domain([least, most]).range(range);
    return axis.label === "iteration" ? linear : linear.nice(5);
  }

  function ticks_of(axis, scale, most) {
    if (axis.steps) return scale.domain();
    if (axis.log) {
      var powers = scale.ticks().filter(function (v) { return Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-9; });
      while (powers.length > most) powers = powers.filter(function (v, i) { return i % 2 === 0; });
      return powers;
    }
    var ticks = scale.ticks(most);
    return axis.label === "iteration" ? ticks.filter(function (v) { return v === Math.round(v); }) : ticks;
  }

  function draw_axis(layer, axis, scale, orient, length, ticks) {
    var drawn = layer.append("g").attr("class", "axis " + (orient === "bottom" ? "x" : "y"));
    if (orient === "bottom") drawn.attr("transform", "translate(0," + length.height + ")");
    drawn.call(d3.svg.axis().scale(scale).orient(orient).tickValues(ticks).tickFormat(short_number).tickPadding(6)
        .innerTickSize(orient === "left" ? -length.width : 4).outerTickSize(0));
  }

  // ---- kinds ----

  function draw_legend(plot, series) {
    var items = plot.append("ul").attr("class", "legend").selectAll("li").data(series).enter().append("li");
    var key = items.append("svg").attr({width: 30, height: 12, "aria-hidden": "true"}).attr("class", function (s) { return tone(s.tone); });
    key.append("line").attr({"class": "line", x1: 1, x2: 29, y1: 6, y2: 6});
    key.append("path").attr("class", "mark key").attr("transform", "translate(15,6)").attr("d", function (s) { return shape(s.tone, 40); });
    items.append("span").text(function (s) { return s.name; });
  }

  /// Shows the values at the nearest x: by pointer, by touch, and by arrow keys.
  function follow(svg, layer, plot, chart, x, y, size) {
    var xs = d3.set(d3.merge(chart.series.map(function (s) { return s.points.map(function (p) { return p[0]; }); }))).values().map(Number);
    xs.sort(function (a, b) { return x(a) - x(b); });
    var line = layer.append("line").attr({"class": "cursor", y1: 0, y2: size.height}).style("display", "none");
    var box = plot.append("div").attr({"class": "readout", "aria-live": "polite"}).style("display", "none");
    var at = -1;
    function show(index) {
      at = index;
      var value = xs[index], left = x(value);
      line.style("display", null).attr({x1: left, x2: left});
      box.style("display", null).html("");
      box.append("b").text(chart.x.label.replace(/ \(.*/, "") + " " + short_number(value));
      chart.series.forEach(function (s) {
        s.points.forEach(function (p) {
          if (p[0] === value) box.append("span").attr("class", tone(s.tone)).text(s.name.replace(/ \(.*/, "") + " " + short_number(p[1]));
        });
      });
      var width = box.node().offsetWidth, room = plot.node().clientWidth;
      box.style("left", Math.max(0, Math.min(room - width, left + size.left - width / 2)) + "px");
    }
    function hide() { at = -1; line.style("display", "none"); box.style("display", "none"); }
    function nearest(node) {
      var here = d3.mouse(node)[0], best = 0;
      xs.forEach(function (v, i) { if (Math.abs(x(v) - here) < Math.abs(x(xs[best]) - here)) best = i; });
      show(best);
    }
    layer.append("rect").attr({"class": "sensor", width: size.width, height: size.height})
        .on("mousemove", function () { nearest(this); }).on("touchstart", function () { nearest(this); }).on("mouseleave", hide);
    svg.attr("tabindex", 0).on("blur", hide).on("keydown", function () {
      var step = {ArrowLeft: -1, ArrowRight: 1}[d3.event.key];
      if (!step) return;
      d3.event.preventDefault();
      show(at < 0 ? (step > 0 ? 0 : xs.length - 1) : Math.max(0, Math.min(xs.length - 1, at + step)));
    });
  }

  function draw_lines(plot, chart, width) {
    draw_legend(plot, chart.series);
    var size = {left: 58, right: 14, top: 10, bottom: 44};
    size.width = width - size.left - size.right;
    size.height = 210;
    var points = d3.merge(chart.series.map(function (s) { return s.points; }));
    var x = scale_of(chart.x, points.map(function (p) { return p[0]; }), [0, size.width]);
    var y = scale_of(chart.y, points.map(function (p) { return p[1]; }), [size.height, 0]);
    var svg = plot.append("svg").attr({width: width, height: size.height + size.top + size.bottom, role: "img"});
    svg.attr("aria-label", chart.title + ": " + chart.series.map(function (s) {
      return s.name + " from " + short_number(s.points[0][1]) + " to " + short_number(s.points[s.points.length - 1][1]);
    }).join("; ") + ". Arrow keys show values.");
    var layer = svg.append("g").attr("transform", "translate(" + size.left + "," + size.top + ")");
    draw_axis(layer, chart.x, x, "bottom", size, ticks_of(chart.x, x, Math.max(3, Math.floor(size.width / 70))));
    draw_axis(layer, chart.y, y, "left", size, ticks_of(chart.y, y, 5));
    svg.append("text").attr({"class": "label", x: size.left + size.width / 2, y: size.top + size.height + 38, "text-anchor": "middle"}).text(chart.x.label);
    svg.append("text").attr({"class": "label", transform: "translate(13," + (size.top + size.height / 2) + ") rotate(-90)", "text-anchor": "middle"})
        .text(chart.y.label);
    var line = d3.svg.line().x(function (p) { return x(p[0]); }).y(function (p) { return y(p[1]); });
    chart.series.forEach(function (s) {
      var group = layer.append("g").attr("class", "series " + tone(s.tone)).attr("data-points", s.points.length);
      group.append("path").attr("class", "line").attr("d", line(s.points));
      if (s.points.length > kMostMarks) return;
      group.selectAll("path.mark").data(s.points).enter().append("path").attr("class", "mark")
          .attr("transform", function (p) { return "translate(" + x(p[0]) + "," + y(p[1]) + ")"; })
          .attr("d", shape(s.tone, s.points.length > 30 ? 24 : 44));
    });
    follow(svg, layer, plot, chart, x, y, size);
  }

  function draw_bars(plot, chart, width) {
    var rows = chart.rows.map(function (r) {
      var counted = r.samples !== undefined;
      return {name: r.name, value: counted ? (r.samples ? r.correct / r.samples : 0) : r.value,
              text: counted ? (r.samples ? d3.format(".3f")(r.correct / r.samples) + "  (" + r.correct + " of " + r.samples + ")" : "no sample")
                            : d3.format(".3f")(r.value)};
    });
    var row_height = 24, longest = d3.max(rows, function (r) { return r.name.length; });
    var left = Math.min(Math.max(60, 8 * longest), Math.round(width * 0.4)), right = rows.some(function (r) { return r.text.length > 6; }) ? 118 : 48;
    var height = rows.length * row_height, x = d3.scale.linear().domain([0, 1]).range([0, width - left - right]);
    var svg = plot.append("svg").attr({width: width, height: height + 50, role: "img"});
    svg.attr("aria-label", chart.title + ": " + rows.map(function (r) { return r.name + " " + r.text; }).join("; "));
    var layer = svg.append("g").attr("transform", "translate(" + left + ",14)");
    layer.append("g").attr({"class": "axis x", transform: "translate(0," + height + ")"})
        .call(d3.svg.axis().scale(x).orient("bottom").ticks(Math.min(10, Math.max(2, Math.floor(x.range()[1] / 60)))).innerTickSize(-height).outerTickSize(0).tickPadding(6).tickFormat(short_number));
    var row = layer.selectAll("g.row").data(rows).enter().append("g").attr("class", "row tone-0")
        .attr("transform", function (r, i) { return "translate(0," + i * row_height + ")"; });
    row.append("title").text(function (r) { return r.name + ": " + r.text; });
    row.append("rect").attr({"class": "bar", y: 4, height: row_height - 8, rx: 2}).attr("width", function (r) { return x(r.value); });
    var fits = Math.floor((left - 8) / 7);
    row.append("text").attr({"class": "name", x: -8, y: row_height / 2, dy: ".35em", "text-anchor": "end"})
        .text(function (r) { return r.name.length > fits ? r.name.slice(0, Math.max(1, fits - 1)) + "\u2026" : r.name; });
    row.append("text").attr({"class": "value", y: row_height / 2, dy: ".35em"}).attr("x", function (r) { return x(r.value) + 6; })
        .text(function (r) { return r.text; });
    if (chart.mark) {
      layer.append("line").attr({"class": "reference", x1: x(chart.mark.at), x2: x(chart.mark.at), y1: -2, y2: height});
      layer.append("text").attr({"class": "label", x: x(chart.mark.at), y: -5, "text-anchor": "start"}).text(chart.mark.label);
    }
    svg.append("text").attr({"class": "label", x: left + x.range()[1] / 2, y: height + 46, "text-anchor": "middle"}).text(chart.x.label);
  }

  function draw() {
    charts.forEach(function (chart) {
      var plot = d3.select("#" + chart.id + " .plot"), width = Math.max(240, plot.node().clientWidth);
      plot.html("");
      (chart.kind === "bars" ? draw_bars : draw_lines)(plot, chart, width);
    });
  }

  draw();
  var drawn_for = window.innerWidth;
  window.addEventListener("resize", function () {
    if (window.innerWidth === drawn_for) return;
    drawn_for = window.innerWidth;
    draw();
  });
})();
