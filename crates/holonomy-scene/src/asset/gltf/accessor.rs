//! Numbers out of buffers: every range is checked, with arithmetic that cannot overflow, before a byte is read.
//!
//! Source: glTF 2.0 specification, section 3.6.2 (accessors: strides, normalised integers, sparse substitution).

use super::document::{Accessor, Document, SparsePart};
use super::fault::Fault;

/// Reads accessors of one document.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub document: &'a Document,
    pub buffers: &'a [Option<Vec<u8>>],
}

/// Elements that lie in a buffer: element `i` begins at `i * stride`.
struct Elements<'a> {
    bytes: &'a [u8],
    stride: usize,
    component: Component,
}

impl Elements<'_> {
    /// The elements among the first `count`, each of `width` numbers, that have one that is not
    /// finite: how many, the first and its number.
    fn not_finite(&self, count: usize, width: usize) -> Option<NotFinite> {
        if self.component != Component::F32 {
            return None;
        }
        let number = |i: usize, c: usize| self.component.read(self.bytes.get(i * self.stride + 4 * c..).unwrap_or(&[]));
        let bad = |i: &usize| (0..width).map(|c| number(*i, c)).find(|x| !x.is_finite());
        let first = (0..count).find(|i| bad(i).is_some())?;
        let elements = (first..count).filter(|i| bad(i).is_some()).count();
        Some(NotFinite { elements, first, value: bad(&first)? })
    }
}

/// Elements of an accessor that have a number that is not finite.
struct NotFinite {
    elements: usize,
    /// The first of them, and its first such number.
    first: usize,
    value: f64,
}

/// What the numbers of an accessor are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Positions,
    Directions,
    Weights,
    Surface,
    Targets,
    BindMatrices,
    Times,
    Keys,
    Other,
}

impl Role {
    /// The first role that accessor `index` has in the document.
    fn of(document: &Document, index: usize) -> Role {
        for primitive in document.meshes.iter().flat_map(|mesh| &mesh.primitives) {
            if let Some((name, _)) = primitive.attributes.iter().find(|(_, accessor)| **accessor == index) {
                return match name.split('_').next().unwrap_or_default() {
                    "POSITION" => Role::Positions,
                    "NORMAL" | "TANGENT" => Role::Directions,
                    "WEIGHTS" => Role::Weights,
                    "TEXCOORD" | "COLOR" => Role::Surface,
                    _ => Role::Other,
                };
            }
            if primitive.targets.iter().any(|target| target.values().any(|accessor| *accessor == index)) {
                return Role::Targets;
            }
        }
        let samplers = || document.animations.iter().flat_map(|animation| &animation.samplers);
        match () {
            () if document.skins.iter().any(|skin| skin.inverse_bind_matrices == Some(index)) => Role::BindMatrices,
            () if samplers().any(|sampler| sampler.input == index) => Role::Times,
            () if samplers().any(|sampler| sampler.output == index) => Role::Keys,
            () => Role::Other,
        }
    }

    fn name(self) -> Option<&'static str> {
        Some(match self {
            Role::Positions => "positions of vertices",
            Role::Directions => "normals or tangents",
            Role::Weights => "skin weights",
            Role::Surface => "texture coordinates or colours",
            Role::Targets => "a morph target",
            Role::BindMatrices => "inverse bind matrices of a skin",
            Role::Times => "key times of a clip",
            Role::Keys => "key values of a clip",
            Role::Other => return None,
        })
    }

    fn fix(self) -> &'static str {
        match self {
            Role::Positions => "delete or move these vertices in the program that made the mesh, and export it again",
            Role::Directions => "let normals and tangents be computed anew (in Blender: clear custom split normals), and export it again",
            Role::Weights => "normalise the skin weights (in Blender: Weights > Normalize All), and export it again",
            Role::Surface => "repair the UV map or the vertex colours, or export the mesh without them",
            Role::Targets => "repair or delete this shape key, and export the mesh again",
            Role::BindMatrices => "give every joint a scale other than 0 in its rest pose, bind the skin anew, and export it again",
            Role::Times | Role::Keys => "delete the broken keys of the clip, or bake it anew, and export it again",
            Role::Other => "no mesh, skin or clip uses it as glTF itself knows them: export the file again without it",
        }
    }
}

/// The type of one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    fn new(code: u32) -> Option<Self> {
        Some(match code {
            5120 => Component::I8,
            5121 => Component::U8,
            5122 => Component::I16,
            5123 => Component::U16,
            5125 => Component::U32,
            5126 => Component::F32,
            _ => return None,
        })
    }
    fn size(self) -> usize {
        match self {
            Component::I8 | Component::U8 => 1,
            Component::I16 | Component::U16 => 2,
            Component::U32 | Component::F32 => 4,
        }
    }
    /// The number at the beginning of `bytes`; 0 past the end, which the range check rules out.
    fn read(self, bytes: &[u8]) -> f64 {
        let byte = |i: usize| bytes.get(i).copied().unwrap_or(0);
        let word = || [byte(0), byte(1), byte(2), byte(3)];
        match self {
            Component::I8 => f64::from(byte(0) as i8),
            Component::U8 => f64::from(byte(0)),
            Component::I16 => f64::from(i16::from_le_bytes([byte(0), byte(1)])),
            Component::U16 => f64::from(u16::from_le_bytes([byte(0), byte(1)])),
            Component::U32 => f64::from(u32::from_le_bytes(word())),
            Component::F32 => f64::from(f32::from_le_bytes(word())),
        }
    }
    /// What a normalised integer is divided by.
    fn norm(self) -> f64 {
        match self {
            Component::I8 => 127.0,
            Component::U8 => 255.0,
            Component::I16 => 32767.0,
            Component::U16 => 65535.0,
            Component::U32 | Component::F32 => 1.0,
        }
    }
}

fn components(kind: &str) -> Option<usize> {
    Some(match kind {
        "SCALAR" => 1,
        "VEC2" => 2,
        "VEC3" => 3,
        "VEC4" | "MAT2" => 4,
        "MAT3" => 9,
        "MAT4" => 16,
        _ => return None,
    })
}

impl<'a> Reader<'a> {
    /// All ranges fit and all numbers are finite, also those that are never read: they would go on
    /// into the result. Skin weights are the one exception: those that are not finite count as 0
    /// (see `repair`).
    pub fn check(&self) -> Result<(), Fault> {
        (0..self.document.buffer_views.len()).try_for_each(|i| self.view(i).map(|_| ()))?;
        for (i, accessor) in self.document.accessors.iter().enumerate() {
            let place = || format!("accessors[{i}]");
            let component = component(accessor.component_type, place)?;
            let width = components(&accessor.kind).ok_or_else(|| Fault::new(place(), format!("unknown type '{}'", accessor.kind)))?;
            let elements = self.layout(accessor, component, width, place)?;
            let substitutes = self.sparse(accessor, component, width, place)?.map(|(places, values)| (values, places.len()));
            for (elements, count) in elements.map(|elements| (elements, accessor.count)).into_iter().chain(substitutes) {
                let Some(NotFinite { elements: bad, first, value }) = elements.not_finite(count, width) else { continue };
                let role = Role::of(self.document, i);
                if role == Role::Weights {
                    continue;
                }
                let what = role.name().map_or(String::new(), |name| format!(" ({name})"));
                let rest = if bad > 1 { format!("; {bad} of its {count} elements are like that") } else { String::new() };
                let problem = format!("element {first} has {value}, which is not finite{rest}");
                return Err(Fault::new(format!("{}{what}", place()), problem).fix(role.fix()));
            }
        }
        Ok(())
    }

    /// Finite numbers, `N` to an element; normalised integers become fractions.
    pub fn floats<const N: usize>(&self, index: usize) -> Result<Vec<[f64; N]>, Fault> {
        let accessor = self.accessor(index)?;
        let norm = match Component::new(accessor.component_type) {
            Some(component) if accessor.normalized => component.norm(),
            _ => 1.0,
        };
        let values = self.read::<f64, N>(index, |raw| if norm == 1.0 { raw } else { (raw / norm).max(-1.0) })?;
        match values.iter().position(|element| !element.iter().all(|x| x.is_finite())) {
            None => Ok(values),
            Some(i) => Err(Fault::new(format!("accessors[{index}]"), format!("element {i} is {:?}, which is not finite", values[i]))),
        }
    }

    /// Skin weights, four to an element. Those that are not finite are 0; the second list has the
    /// elements that had one.
    pub fn weights(&self, index: usize) -> Result<(Vec<[f64; 4]>, Vec<usize>), Fault> {
        let accessor = self.accessor(index)?;
        let norm = match Component::new(accessor.component_type) {
            Some(component) if accessor.normalized => component.norm(),
            _ => 1.0,
        };
        let mut all = self.read::<f64, 4>(index, |raw| if norm == 1.0 { raw } else { (raw / norm).max(-1.0) })?;
        let mut bad = Vec::new();
        for (i, element) in all.iter_mut().enumerate().filter(|(_, element)| !element.iter().all(|x| x.is_finite())) {
            bad.push(i);
            element.iter_mut().filter(|x| !x.is_finite()).for_each(|x| *x = 0.0);
        }
        Ok((all, bad))
    }

    /// Where the bytes of an accessor's elements begin in buffer 0, and their stride; `None` where
    /// they are elsewhere or not all in one place.
    pub fn place_in_first_buffer(&self, index: usize) -> Option<(usize, usize)> {
        let accessor = self.document.accessors.get(index).filter(|accessor| accessor.sparse.is_none())?;
        let view = self.document.buffer_views.get(accessor.buffer_view?).filter(|view| view.buffer == 0)?;
        let size = components(&accessor.kind)? * Component::new(accessor.component_type)?.size();
        Some((view.byte_offset + accessor.byte_offset, view.byte_stride.unwrap_or(size)))
    }

    /// Unsigned integers, `N` to an element.
    pub fn integers<const N: usize>(&self, index: usize) -> Result<Vec<[u32; N]>, Fault> {
        let accessor = self.accessor(index)?;
        if !matches!(accessor.component_type, 5121 | 5123 | 5125) {
            let problem = format!("componentType is {}, but indices are unsigned integers (5121, 5123 or 5125)", accessor.component_type);
            return Err(Fault::new(format!("accessors[{index}]"), problem));
        }
        self.read(index, |raw| raw as u32)
    }

    /// How many elements the accessor has.
    pub fn count(&self, index: usize) -> usize {
        self.document.accessors.get(index).map_or(0, |accessor| accessor.count)
    }

    /// All numbers of an accessor, whatever its type, one element after the other.
    pub fn numbers(&self, index: usize) -> Result<Vec<f64>, Fault> {
        Ok(match components(&self.accessor(index)?.kind) {
            Some(3) => self.floats::<3>(index)?.into_flattened(),
            Some(4) => self.floats::<4>(index)?.into_flattened(),
            _ => self.floats::<1>(index)?.into_flattened(),
        })
    }

    fn accessor(&self, index: usize) -> Result<&'a Accessor, Fault> {
        self.document.accessors.get(index).ok_or_else(|| Fault::new(format!("accessors[{index}]"), "it does not exist"))
    }

    fn read<T: Copy + Default, const N: usize>(&self, index: usize, convert: impl Fn(f64) -> T) -> Result<Vec<[T; N]>, Fault> {
        let accessor = self.accessor(index)?;
        let place = || format!("accessors[{index}]");
        if components(&accessor.kind) != Some(N) {
            return Err(Fault::new(place(), format!("type is {}, but {N} numbers an element are needed here", accessor.kind)));
        }
        let component = component(accessor.component_type, place)?;
        let elements = self.layout(accessor, component, N, place)?;
        let element = |elements: &Elements, i: usize| {
            let bytes = elements.bytes.get(i * elements.stride..).unwrap_or(&[]);
            std::array::from_fn(|c| convert(elements.component.read(bytes.get(c * component.size()..).unwrap_or(&[]))))
        };
        let mut values: Vec<[T; N]> = match &elements {
            Some(elements) => (0..accessor.count).map(|i| element(elements, i)).collect(),
            None => vec![[convert(0.0); N]; accessor.count],
        };
        if let Some((places, substitutes)) = self.sparse(accessor, component, N, place)? {
            for (i, &at) in places.iter().enumerate() {
                if let Some(value) = values.get_mut(at) {
                    *value = element(&substitutes, i);
                }
            }
        }
        Ok(values)
    }

    /// Where the elements lie; `None` when they are all zero.
    fn layout(
        &self,
        accessor: &Accessor,
        component: Component,
        width: usize,
        place: impl Fn() -> String,
    ) -> Result<Option<Elements<'a>>, Fault> {
        if accessor.count == 0 {
            return Err(Fault::new(place(), "count is 0"));
        }
        if let Some(view) = accessor.buffer_view {
            let elements = self.elements(view, accessor.byte_offset, component, width, accessor.count, &place)?;
            self.sparse(accessor, component, width, place)?;
            return Ok(Some(elements));
        }
        // No bytes stand behind this count, so bound it by what the file holds: it must not make us allocate at will.
        let bound = self.buffers.iter().flatten().map(Vec::len).fold(65_536, usize::saturating_add);
        if accessor.count > bound {
            return Err(Fault::new(place(), format!("count is {} without a bufferView, more than the file has bytes", accessor.count)));
        }
        self.sparse(accessor, component, width, place)?;
        Ok(None)
    }

    /// The substituted elements of a sparse accessor: which, and where their values lie.
    fn sparse(
        &self,
        accessor: &Accessor,
        component: Component,
        width: usize,
        place: impl Fn() -> String,
    ) -> Result<Option<(Vec<usize>, Elements<'a>)>, Fault> {
        let Some(sparse) = &accessor.sparse else { return Ok(None) };
        let place = || format!("{}.sparse", place());
        if sparse.count == 0 || sparse.count > accessor.count {
            return Err(Fault::new(place(), format!("count is {}, but must be from 1 to {}", sparse.count, accessor.count)));
        }
        let part =
            |part: &SparsePart, component, width| self.elements(part.buffer_view, part.byte_offset, component, width, sparse.count, place);
        let index = component_unsigned(sparse.indices.component_type, place)?;
        let (indices, values) = (part(&sparse.indices, index, 1)?, part(&sparse.values, component, width)?);
        let read = |i: usize| index.read(indices.bytes.get(i * indices.stride..).unwrap_or(&[])) as usize;
        let places: Vec<usize> = (0..sparse.count).map(read).collect();
        match places.iter().zip(places.iter().skip(1)).position(|(a, b)| a >= b) {
            Some(i) => return Err(Fault::new(place(), format!("indices do not increase at {i}"))),
            None if places.last() >= Some(&accessor.count) => {
                return Err(Fault::new(place(), format!("an index is {:?}, but count is {}", places.last(), accessor.count)));
            }
            None => {}
        }
        Ok(Some((places, values)))
    }

    /// `count` elements at `offset` of a view.
    fn elements(
        &self,
        view: usize,
        offset: usize,
        component: Component,
        width: usize,
        count: usize,
        place: impl Fn() -> String,
    ) -> Result<Elements<'a>, Fault> {
        let views = &self.document.buffer_views;
        let info = views
            .get(view)
            .ok_or_else(|| Fault::new(place(), format!("bufferView is {view}, but there are only {} bufferViews", views.len())))?;
        let size = component.size() * width;
        let stride = info.byte_stride.unwrap_or(size);
        if stride < size {
            return Err(Fault::new(
                format!("bufferViews[{view}]"),
                format!("byteStride {stride} is less than the {size} bytes of an element"),
            ));
        }
        let end = (count - 1).checked_mul(stride).and_then(|x| x.checked_add(size)).and_then(|x| x.checked_add(offset));
        if end.is_none_or(|end| end > info.byte_length) {
            let problem = format!(
                "{count} elements of {size} bytes, {stride} apart, from byte {offset} do not fit the {} bytes of bufferViews[{view}]",
                info.byte_length
            );
            return Err(Fault::new(place(), problem));
        }
        let Some(bytes) = self.view(view)? else {
            return Err(Fault::new(place(), format!("the buffer of bufferViews[{view}] has no data"))
                .fix("the geometry is compressed: decompress it with `npx @gltf-transform/cli copy IN.glb OUT.glb`"));
        };
        Ok(Elements { bytes: bytes.get(offset..).unwrap_or(&[]), stride, component })
    }

    /// The bytes of a view; `None` if its buffer has none.
    pub fn view(&self, index: usize) -> Result<Option<&'a [u8]>, Fault> {
        let place = || format!("bufferViews[{index}]");
        let view = self.document.buffer_views.get(index).ok_or_else(|| Fault::new(place(), "it does not exist"))?;
        let buffers = &self.document.buffers;
        let buffer = buffers
            .get(view.buffer)
            .ok_or_else(|| Fault::new(place(), format!("buffer is {}, but there are only {} buffers", view.buffer, buffers.len())))?;
        let end = view.byte_offset.checked_add(view.byte_length).filter(|&end| end <= buffer.byte_length);
        let end = end.ok_or_else(|| {
            let problem = format!(
                "{} bytes from byte {} do not fit the {} bytes of buffers[{}]",
                view.byte_length, view.byte_offset, buffer.byte_length, view.buffer
            );
            Fault::new(place(), problem)
        })?;
        let bytes = self.buffers.get(view.buffer).and_then(Option::as_deref);
        Ok(bytes.map(|bytes| bytes.get(view.byte_offset..end).unwrap_or(&[])))
    }
}

fn component(code: u32, place: impl Fn() -> String) -> Result<Component, Fault> {
    Component::new(code).ok_or_else(|| Fault::new(place(), format!("unknown componentType {code}")))
}

fn component_unsigned(code: Option<u32>, place: impl Fn() -> String) -> Result<Component, Fault> {
    match code {
        Some(code @ (5121 | 5123 | 5125)) => component(code, place),
        _ => Err(Fault::new(place(), format!("componentType of the indices is {code:?}, but must be 5121, 5123 or 5125"))),
    }
}
