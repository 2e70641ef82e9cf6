"""The operators of builder.aiOnnx. An entry of the table has the method, ONNX's operator (with * the method returns a list of outputs), and for
each opset that changes the operator: the opset, and the parameters after the inputs with their defaults. A parameter with an empty default
is left out of the node unless it is given.
"""

_TABLE = """
abs Abs | 6
acos Acos | 7
acosh Acosh | 9
add Add | 6 axis= broadcast=0 | 7
argmax ArgMax | 6 axis=0 keepdims=1
argmin ArgMin | 6 axis=0 keepdims=1
asin Asin | 7
asinh Asinh | 9
atan Atan | 7
atanh Atanh | 9
averagepool AveragePool | 6 kernel_shape pads= strides= | 7 kernel_shape count_include_pad=0 pads= strides= |
    10 kernel_shape ceil_mode=0 count_include_pad=0 pads= strides=
batchnormalization BatchNormalization* | 6 num_outputs epsilon=1e-05 is_test=0 momentum=0.9 spatial=1 |
    7 num_outputs epsilon=1e-05 momentum=0.9 spatial=1 | 9 num_outputs epsilon=1e-05 momentum=0.9
bitshift BitShift | 11 direction
cast Cast | 6 to
ceil Ceil | 6
clip Clip | 6 max=3.4028234663852886e+38 min=-3.4028234663852886e+38 | 11
compress Compress | 9 axis=
concat Concat | 6 axis
concatfromsequence ConcatFromSequence | 11 axis new_axis=0
constantofshape ConstantOfShape | 9 value
conv Conv | 6 dilations= group=1 kernel_shape= pads= strides=
convinteger ConvInteger | 10 dilations= group=1 kernel_shape= pads= strides=
convtranspose ConvTranspose | 6 dilations= group=1 kernel_shape= output_padding= output_shape= pads= strides=
cos Cos | 7
cosh Cosh | 9
cumsum CumSum | 11 exclusive=0 reverse=0
depthtospace DepthToSpace | 6 blocksize | 11 blocksize mode=DCR
dequantizelinear DequantizeLinear | 10
det Det | 11
div Div | 6 axis= broadcast=0 | 7
dropout Dropout* | 6 num_outputs is_test=0 ratio=0.5 | 7 num_outputs ratio=0.5
dynamicquantizelinear DynamicQuantizeLinear* | 11
elu Elu | 6 alpha=1.0
equal Equal | 6 axis= broadcast=0 | 7
erf Erf | 9
exp Exp | 6
expand Expand | 8
eyelike EyeLike | 9 dtype= k=0
flatten Flatten | 6 axis=1
floor Floor | 6
gather Gather | 6 axis=0
gatherelements GatherElements | 11 axis=0
gathernd GatherND | 11
gemm Gemm | 6 alpha=1.0 beta=1.0 broadcast=0 transA=0 transB=0 | 7 alpha=1.0 beta=1.0 transA=0 transB=0
globalaveragepool GlobalAveragePool | 6
globallppool GlobalLpPool | 6 p=2
globalmaxpool GlobalMaxPool | 6
greater Greater | 6 axis= broadcast=0 | 7
gru GRU* |
    6 num_outputs activation_alpha= activation_beta= activations= clip= direction=forward hidden_size= linear_before_reset=0
        output_sequence=0 |
    7 num_outputs activation_alpha= activation_beta= activations= clip= direction=forward hidden_size= linear_before_reset=0
hardmax Hardmax | 6 axis=1
hardsigmoid HardSigmoid | 6 alpha=0.2 beta=0.5
identity Identity | 6
instancenormalization InstanceNormalization | 6 epsilon=1e-05
isinf IsInf | 10 detect_negative=1 detect_positive=1
isnan IsNaN | 9
leakyrelu LeakyRelu | 6 alpha=0.01
less Less | 6 axis= broadcast=0 | 7
log Log | 6
logical_and And | 6 axis= broadcast=0 | 7
logical_if If* | 6 num_outputs else_branch then_branch
logical_not Not | 6
logical_or Or | 6 axis= broadcast=0 | 7
logical_xor Xor | 6 axis= broadcast=0 | 7
logsoftmax LogSoftmax | 6 axis=1
loop Loop* | 6 num_outputs body
lpnormalization LpNormalization | 6 axis=-1 p=2
lppool LpPool | 6 kernel_shape p=2 pads= strides=
lrn LRN | 6 size alpha=0.0001 beta=0.75 bias=1.0
lstm LSTM* |
    6 num_outputs activation_alpha= activation_beta= activations= clip= direction=forward hidden_size= input_forget=0 output_sequence=0 |
    7 num_outputs activation_alpha= activation_beta= activations= clip= direction=forward hidden_size= input_forget=0
matmul MatMul | 6
matmulinteger MatMulInteger | 10
max Max | 6
maxpool MaxPool | 6 kernel_shape pads= strides= | 8 num_outputs kernel_shape pads= storage_order=0 strides= |
    10 num_outputs kernel_shape ceil_mode=0 dilations= pads= storage_order=0 strides=
maxroipool MaxRoiPool | 6 pooled_shape spatial_scale=1.0
maxunpool MaxUnpool | 9 kernel_shape pads= strides=
mean Mean | 6
meanvariancenormalization MeanVarianceNormalization | 9 axes=
min Min | 6
mod Mod | 10 fmod=0
mul Mul | 6 axis= broadcast=0 | 7
multinomial Multinomial | 7 dtype=6 sample_size=1 seed=
neg Neg | 6
nonmaxsuppression NonMaxSuppression | 10 center_point_box=0
nonzero NonZero | 9
onehot OneHot | 9 axis=-1
pad Pad | 6 pads mode=constant value=0.0 | 11 mode=constant
pow Pow | 6 axis= broadcast=0 | 7
prelu PRelu | 6
qlinearconv QLinearConv | 10 dilations= group=1 kernel_shape= pads= strides=
qlinearmatmul QLinearMatMul | 10
quantizelinear QuantizeLinear | 10
randomnormal RandomNormal | 6 shape dtype=1 mean=0.0 scale=1.0 seed=
randomnormallike RandomNormalLike | 6 dtype= mean=0.0 scale=1.0 seed=
randomuniform RandomUniform | 6 shape dtype=1 high=1.0 low=0.0 seed=
randomuniformlike RandomUniformLike | 6 dtype= high=1.0 low=0.0 seed=
range Range | 11
reciprocal Reciprocal | 6
reducel1 ReduceL1 | 6 axes= keepdims=1
reducel2 ReduceL2 | 6 axes= keepdims=1
reducelogsum ReduceLogSum | 6 axes= keepdims=1
reducelogsumexp ReduceLogSumExp | 6 axes= keepdims=1
reducemax ReduceMax | 6 axes= keepdims=1
reducemean ReduceMean | 6 axes= keepdims=1
reducemin ReduceMin | 6 axes= keepdims=1
reduceprod ReduceProd | 6 axes= keepdims=1
reducesum ReduceSum | 6 axes= keepdims=1
reducesumsquare ReduceSumSquare | 6 axes= keepdims=1
relu Relu | 6
reshape Reshape | 6
resize Resize | 10 mode=nearest |
    11 coordinate_transformation_mode=half_pixel cubic_coeff_a=-0.75 exclude_outside=0 extrapolation_value=0.0 mode=nearest
        nearest_mode=round_prefer_floor
reversesequence ReverseSequence | 10 batch_axis=1 time_axis=0
rnn RNN* | 6 num_outputs activation_alpha= activation_beta= activations= clip= direction=forward hidden_size= output_sequence=0 |
    7 num_outputs activation_alpha= activation_beta= activations= clip= direction=forward hidden_size=
roialign RoiAlign | 10 mode=avg output_height=1 output_width=1 sampling_ratio=0 spatial_scale=1.0
round Round | 11
scan Scan* | 8 num_outputs body num_scan_inputs directions= |
    9 num_outputs body num_scan_inputs scan_input_axes= scan_input_directions= scan_output_axes= scan_output_directions=
scatter Scatter | 9 axis=0
scatterelements ScatterElements | 11 axis=0
scatternd ScatterND | 11
selu Selu | 6 alpha=1.67326 gamma=1.0507
sequenceat SequenceAt | 11
sequenceconstruct SequenceConstruct | 11
sequenceempty SequenceEmpty | 11 dtype=
sequenceerase SequenceErase | 11
sequenceinsert SequenceInsert | 11
sequencelength SequenceLength | 11
shape Shape | 6
shrink Shrink | 9 bias=0.0 lambd=0.5
sigmoid Sigmoid | 6
sign Sign | 9
sin Sin | 7
sinh Sinh | 9
size Size | 6
slice Slice | 6 ends starts axes= | 10
softmax Softmax | 6 axis=1
softplus Softplus | 6
softsign Softsign | 6
spacetodepth SpaceToDepth | 6 blocksize
split Split* | 6 num_outputs axis=0 split=
splittosequence SplitToSequence | 11 axis=0 keepdims=1
sqrt Sqrt | 6
squeeze Squeeze | 6 axes=
stringnormalizer StringNormalizer | 10 case_change_action=NONE is_case_sensitive=0 locale= stopwords=
sub Sub | 6 axis= broadcast=0 | 7
sum Sum | 6
tan Tan | 7
tanh Tanh | 6
tfidfvectorizer TfIdfVectorizer |
    9 max_gram_length max_skip_count min_gram_length mode ngram_counts ngram_indexes pool_int64s= pool_strings= weights=
thresholdedrelu ThresholdedRelu | 10 alpha=1.0
tile Tile | 6
topk TopK* | 6 k axis=-1 | 10 axis=-1 | 11 axis=-1 largest=1 sorted=1
transpose Transpose | 6 perm=
unique Unique* | 11 num_outputs axis= sorted=1
unsqueeze Unsqueeze | 6 axes
upsample Upsample | 6 height_scale width_scale mode=nearest | 7 scales mode=nearest | 9 mode=nearest
where Where | 9
"""


class Form:
    """A method of one opset. `parameters` is a list of (name, default); the default REQUIRED marks a parameter that must be given."""

    __slots__ = ("kind", "many", "parameters")

    def __init__(self, kind, many, words):
        self.kind, self.many = kind, many
        self.parameters = [(word.partition("=")[0], _default(word.partition("=")[2]) if "=" in word else REQUIRED) for word in words]


REQUIRED, ABSENT = object(), object()
# Operators whose first parameter is not a list of inputs.
WITHOUT_INPUTS = ("randomnormal", "randomuniform", "sequenceempty")


def _default(text):
    if not text:
        return ABSENT
    for convert in (int, float):
        try:
            return convert(text)
        except ValueError:
            pass
    return text


def _read():
    methods, lines = {}, []
    for line in _TABLE.strip().split("\n"):
        if line.startswith(" "):
            lines[-1] += " " + line.strip()
        else:
            lines.append(line)
    for line in lines:
        head, *forms = [part.strip() for part in line.split("|")]
        method, kind = head.split()
        methods[method] = [(int(form.split()[0]), Form(kind.rstrip("*"), kind.endswith("*"), form.split()[1:])) for form in forms]
    return methods


_METHODS = _read()


def form(method, opset):
    """The form of a method in an opset; None if this opset does not have the method."""
    found = None
    for first, candidate in _METHODS.get(method, ()):
        if first <= opset:
            found = candidate
    if found is not None and method == "maxpool" and opset >= 8:
        found.many = True
    return found
